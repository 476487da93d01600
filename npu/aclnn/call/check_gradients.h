// Checks of the gradients that a mask of three asks for: of the input, the weight and the bias.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The mask has three values, and each gradient that it asks for has a tensor.
void three_gradients(std::span<const bool> mask, const Operand& first, const Operand& second,
                     const Operand& third);

// Like same_shape, for a tensor that is needed only if the condition holds.
void same_shape_if(bool condition, const Operand& model, const Operand& tensor);

}  // namespace opweld::npu::aclnn::check
