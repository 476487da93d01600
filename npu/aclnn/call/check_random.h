// Checks of random functions and bit masks.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

void probability(std::string_view name, double value);
void probability(const Number& number);

// from <= to, both finite.
void ordered(std::string_view from_name, double from, std::string_view to_name, double to);

// The mask has a bit for each element of `shape`; its bytes come 16 at a time.
void bit_mask(std::span<const int64_t> shape, const Operand& mask);

}  // namespace opweld::npu::aclnn::check
