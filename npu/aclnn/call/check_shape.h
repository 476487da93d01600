// Checks of functions that join or cut tensors.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The output of stacking tensors of one shape along a new dimension.
void stacked(const Operands& tensors, int64_t dim, const Operand& output);

// The output of joining tensors along a dimension that they have. Tensors of shape [0] count as nothing.
void concatenated(const Operands& tensors, int64_t dim, const Operand& output);

}  // namespace opweld::npu::aclnn::check
