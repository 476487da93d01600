// Checks of quantization to int8.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_fake_quantize.h"

namespace opweld::npu::aclnn::check {

// The tensor, if any, has one element for each place of x's last dimension; or one altogether.
void of_last(const Operand& x, const Operand& tensor);
void one_or_of_last(const Operand& x, const Operand& tensor);

// The tensor, if any, has x's shape without the last dimension.
void of_rows(const Operand& x, const Operand& tensor);

void rounding(std::string_view mode);

// Two tensors, their sum, and the factor of its last dimension.
void added(const Operand& x1, const Operand& x2, const Operand& gamma, const Operand& sum);

struct RowOutputs {
    Operand y;
    Operand scale;
};

// The outputs that a mask or the smooth scales choose have the shapes of x and of its rows.
void chosen(const Operand& x, std::span<const bool> mask, const Operand& smooth1, const Operand& smooth2,
            const RowOutputs& first, const RowOutputs& second);

}  // namespace opweld::npu::aclnn::check
