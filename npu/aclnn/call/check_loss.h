// Checks of loss functions.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// 0 none, 1 mean, 2 sum.
void reduction_code(int64_t reduction);

// The loss of tensors that broadcast: their shape, or 0-d when it is reduced.
void loss(std::initializer_list<Operand> inputs, int64_t reduction, const Operand& output);

// Negative log-likelihood: scores [N, C] or [C], targets [N] or [], weight [C].
void nll(const Operand& scores, const Operand& target, const Operand& weight, int64_t reduction,
         const Operand& output, const Operand& total_weight);

}  // namespace opweld::npu::aclnn::check
