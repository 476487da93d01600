#include "npu/aclnn/call/check_sync_batch_norm.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void gathered(const Operand& first, const Operand& second, const Operand& counts,
              std::initializer_list<Operand> results) {
    has_rank(first, 2, 2);
    same_shape(first, second);
    if (counts.elements() != first.size(0)) {
        invalid(fmt::format("argument '{}' has {} elements, expected {}, one for each row of '{}'",
                            counts.name(), counts.elements(), first.size(0), first.name()));
    }
    for (const Operand& result : results) {
        has_shape(result, first.shape().subspan(1), "one number a channel");
    }
}

void wanted(bool is_wanted, std::initializer_list<Operand> results) {
    for (const Operand& result : results) {
        if (is_wanted && !result) {
            invalid(fmt::format("argument '{}' is null, but asked for", result.name()));
        }
    }
}

}  // namespace opweld::npu::aclnn::check
