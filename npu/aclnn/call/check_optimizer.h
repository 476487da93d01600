// Checks of optimizer steps.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// amsgrad needs the largest second moments so far: one tensor, or one for each parameter.
void running_maximum(bool amsgrad, const Operand& maximum);
void running_maxima(bool amsgrad, const Operands& params, const Operands& maxima);

// One buffer of its shape for each parameter, or none at all.
void momentum_buffers_of(const Operands& params, const Operands& buffers);

}  // namespace opweld::npu::aclnn::check
