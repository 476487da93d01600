// Checks that all families of activations use.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The value of a scalar, which must be a real number.
double as_double(const Number& number);

void not_zero(const Number& number);

}  // namespace opweld::npu::aclnn::check
