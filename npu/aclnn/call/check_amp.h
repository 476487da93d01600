// Checks of automatic mixed precision.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

void one_element(const Operand& tensor);

}  // namespace opweld::npu::aclnn::check
