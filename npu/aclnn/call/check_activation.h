// Checks that all families of activations use.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

void not_zero(const Number& number);

}  // namespace opweld::npu::aclnn::check
