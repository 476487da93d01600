// Checks of gated units and rotary embeddings.
#pragma once

#include <string_view>

#include "npu/aclnn/call/check_dtype.h"
#include "npu/aclnn/call/check_smooth_activation.h"

namespace opweld::npu::aclnn::check {

// cos and sin broadcast to x, whose features the mode cuts into 2 parts, or into 4 in mode 2.
void rotated(const Operand& x, const Operand& cos, const Operand& sin, int64_t mode);

// The mode is one of those that aclnnApplyRotaryPosEmbV2 knows.
void rotation_mode(std::string_view mode);

}  // namespace opweld::npu::aclnn::check
