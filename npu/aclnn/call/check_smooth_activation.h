// Checks of smooth activations.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_activation.h"

namespace opweld::npu::aclnn::check {

// The output has half the input's size in the dimension, which must be even.
void halved(const Operand& input, int64_t dim, const Operand& output);

// The tensor has no elements, or the shape of the model.
void empty_or_like(const Operand& model, const Operand& tensor);

}  // namespace opweld::npu::aclnn::check
