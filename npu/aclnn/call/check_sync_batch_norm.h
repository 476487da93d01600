// Checks of batch normalization in steps.
#pragma once

#include "npu/aclnn/call/check_normalization.h"

namespace opweld::npu::aclnn::check {

// Both statistics are [devices, channels] with a count for each device; the results have one number a
// channel.
void gathered(const Operand& first, const Operand& second, const Operand& counts,
              std::initializer_list<Operand> results);

// Results that are wanted are there.
void wanted(bool is_wanted, std::initializer_list<Operand> results);

}  // namespace opweld::npu::aclnn::check
