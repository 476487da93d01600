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
// The same for scores [N, C, H, W] and targets [N, H, W].
void nll2d(const Operand& scores, const Operand& target, const Operand& weight, int64_t reduction,
           const Operand& output, const Operand& total_weight);

// The weights, if there are any, broadcast to the scores.
void weights(const Operand& weight, const Operand& scores);

// Scores and targets are [N, C] or [C]; the loss is [N] or one number; `is_target` is as the targets.
void multilabel(const Operand& scores, const Operand& target, int64_t reduction, const Operand& output,
                const Operand& is_target);

// Scores [N, C], class numbers [N], weights [C]; the loss is [N] or, when it is reduced, [1].
void classes(const Operand& scores, const Operand& target, const Operand& weight, std::string_view reduction,
             double label_smoothing, const Operand& loss);
void no_zloss(double lse_square_scale, bool return_zloss);

struct CtcArguments {
    std::span<const int64_t> input_lengths;
    std::span<const int64_t> target_lengths;
    int64_t blank;
};

// Scores are [T, N, C] or [T, C] with targets [N, S] or one after the other; the loss is [N] or one number,
// and `log_alpha` at least [N, T, 2 * longest target + 1].
void ctc(const Operand& scores, const Operand& targets, const CtcArguments& arguments, const Operand& loss,
         const Operand& log_alpha);

}  // namespace opweld::npu::aclnn::check
