#include "npu/aclnn/call/check_fill.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {

void has_diagonal(const Operand& tensor) {
    has_rank(tensor, 2, 8);
    const auto differs = [&](int64_t size) { return size != tensor.size(0); };
    if (tensor.rank() > 2 && std::ranges::any_of(tensor.shape(), differs)) {
        invalid(
            fmt::format("argument '{}' has shape {}, expected one size for all dimensions, as there are "
                        "more than 2",
                        tensor.name(), text(tensor.shape())));
    }
}

}  // namespace opweld::npu::aclnn::check
