// Checks of functions over lists.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

// A code for rounding: 1 to nearest, 2 down, 3 up, 5 towards zero, 7 the fractional part.
void rounding(const Number& mode);

// The exponents, one for all items or one for each: integers have no negative integer powers.
void powers(const Operands& bases, const Number& exponent);
void powers(const Operands& bases, std::span<const aclScalar* const> exponents);

// A tensor with one number for each item of the list.
void one_each(const Operands& list, const Operand& numbers);

// Each tensor of the list is one number, without dimensions.
void single_numbers(const Operands& list);

}  // namespace opweld::npu::aclnn::check
