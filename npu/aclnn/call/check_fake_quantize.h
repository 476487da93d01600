// Checks of quantization.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

void quantization_range(int64_t quant_min, int64_t quant_max);

// Scale and zero point have this many elements.
void parameters(const Operand& scale, const Operand& zero_point, int64_t count);

// Scale and zero point have one element for each place along the axis.
void parameters_along(const Operand& x, int64_t axis, const Operand& scale, const Operand& zero_point);

// Scales have one element, or one for each place along the axis, and zero points, if any, as many.
void parameters_of(const Operand& x, int64_t axis, const Operand& scales, const Operand& zero_points);

}  // namespace opweld::npu::aclnn::check
