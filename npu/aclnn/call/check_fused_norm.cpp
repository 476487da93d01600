#include "npu/aclnn/call/check_fused_norm.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {

void over_last(const Operand& x, const Operand& gamma, const Operand& statistics) {
    const auto shape = x.shape();
    const auto last = gamma.shape();
    if (last.empty() || last.size() > shape.size() ||
        !std::ranges::equal(last, shape.subspan(shape.size() - last.size()))) {
        invalid(fmt::format("argument '{}' has shape {}, expected the last dimensions of '{}' {}",
                            gamma.name(), text(last), x.name(), text(shape)));
    }
    const int64_t count = gamma.elements() == 0 ? 0 : x.elements() / gamma.elements();
    if (statistics.elements() != count) {
        invalid(fmt::format("argument '{}' has shape {}, expected {} numbers, one for each normalization",
                            statistics.name(), text(statistics.shape()), count));
    }
}

}  // namespace opweld::npu::aclnn::check
