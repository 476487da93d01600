// Checks of activations made of pieces.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_activation.h"

namespace opweld::npu::aclnn::check {

// A backward pass that gets the forward result can't tell the pieces apart by it if the slope of negative
// inputs is negative.
void result_tells_sign(bool is_result, const Number& slope);

// One slope, or one for each channel (dimension 1) of the input.
void slopes(const Operand& input, const Operand& weight);

void ordered(const Number& lower, const Number& upper);

// A limit of numbers: integers take it without its fraction, and unsigned ones none below 0.
void limit(const Number& number, const Operand& tensor);

}  // namespace opweld::npu::aclnn::check
