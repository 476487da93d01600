// Checks of draws and samples.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

void above(std::string_view name, double value, double limit);

// One or more rows of weights, and `samples` places for each of them; without replacement there are no more
// samples than weights.
void sampled(const Operand& weights, int64_t samples, bool replacement, const Operand& output);

}  // namespace opweld::npu::aclnn::check
