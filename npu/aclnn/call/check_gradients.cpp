#include "npu/aclnn/call/check_gradients.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void three_gradients(std::span<const bool> mask, const Operand& first, const Operand& second,
                     const Operand& third) {
    if (mask.size() != 3) {
        invalid(fmt::format("argument 'outputMask' has {} values, expected 3", mask.size()));
    }
    size_t i = 0;
    for (const Operand& gradient : {first, second, third}) {
        if (mask[i] && !gradient) {
            invalid(fmt::format("argument '{}' is null, but 'outputMask' asks for it", gradient.name()));
        }
        ++i;
    }
}

void same_shape_if(bool condition, const Operand& model, const Operand& tensor) {
    if (condition) {
        same_shape(model, tensor);
    }
}

}  // namespace opweld::npu::aclnn::check
