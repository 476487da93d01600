// Checks of arithmetic with numbers.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

// Integers have no negative integer powers, and take exponents of their dtype.
void power(const Operand& base, const Number& exponent);

// The output has complex numbers of such parts.
void complex_of(const Operand& part, const Operand& output);

// `mode` is 0 (the quotient itself, which needs a floating-point output), 1 (towards zero) or 2 (down).
void quotient(int64_t mode, const Operand& output);

}  // namespace opweld::npu::aclnn::check
