// Checks of constants.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

// A matrix, or a tensor with more dimensions of one size.
void has_diagonal(const Operand& tensor);

}  // namespace opweld::npu::aclnn::check
