// Checks of the fused normalizations.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// `gamma` has the shape of x's last dimensions, and `statistics` one number for each place before them.
void over_last(const Operand& x, const Operand& gamma, const Operand& statistics);

}  // namespace opweld::npu::aclnn::check
