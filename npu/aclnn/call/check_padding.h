// Checks of paddings.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The output has the input's sizes and what is put before and after, from the last dimension on.
void padded(const Operand& input, std::span<const int64_t> padding, const Operand& output);

// For a function whose name ends with its number of dimensions: "ReflectionPad2d" pads the last two of an
// input with one or two dimensions more. A reflection is shorter than the input.
void pads_of(std::string_view function, const Operand& input, std::span<const int64_t> padding);

}  // namespace opweld::npu::aclnn::check
