#include "npu/aclnn/call/check_smooth_activation.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void halved(const Operand& input, int64_t dim, const Operand& output) {
    has_rank(input, 1, 8);
    Shape shape(input.shape().begin(), input.shape().end());
    int64_t& size = shape[static_cast<size_t>(wrap_dim(input, dim))];
    if (size % 2 != 0) {
        invalid(fmt::format("dimension {} of argument '{}' {} has {} elements, expected an even number", dim,
                            input.name(), text(input.shape()), size));
    }
    size /= 2;
    has_shape(output, shape, "half of the input");
}

void empty_or_like(const Operand& model, const Operand& tensor) {
    if (tensor.elements() != 0) {
        same_shape(model, tensor);
    }
}

}  // namespace opweld::npu::aclnn::check
