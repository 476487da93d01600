// Checks of functions of one tensor.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

// Absolute values have the dtype of what they are of; complex numbers have real ones.
void magnitude(const Operand& tensor, const Operand& output);

}  // namespace opweld::npu::aclnn::check
