// Losses that are more than one call of ATen. Run under KernelScope. `reduction` is 0 none, 1 mean, 2 sum;
// gradients of a mean are divided by the number of elements. 16-bit tensors are computed in float32.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "npu/kernels/nn/widened.h"

namespace opweld::npu::kernels {

// The labels as contiguous int64. Raises for one that is neither a class below `count` nor to be ignored,
// which ATen's gradients trust.
at::Tensor classes(const at::Tensor& target, int64_t count, int64_t ignore_index);

void nll_loss(const at::Tensor& self, const at::Tensor& target, const at::Tensor& weight, int64_t reduction,
              int64_t ignore_index, at::Tensor& out, at::Tensor& total_weight);
void nll_loss2d(const at::Tensor& self, const at::Tensor& target, const at::Tensor& weight, int64_t reduction,
                int64_t ignore_index, at::Tensor& out, at::Tensor& total_weight);
void nll_loss2d_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                         const at::Tensor& weight, int64_t reduction, int64_t ignore_index,
                         const at::Tensor& total_weight, at::Tensor& grad_input);

void l1_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                      int64_t reduction, at::Tensor& grad_input);

void binary_cross_entropy_with_logits_backward(const at::Tensor& grad_output, const at::Tensor& self,
                                               const at::Tensor& target,
                                               const std::optional<at::Tensor>& weight,
                                               const std::optional<at::Tensor>& pos_weight, int64_t reduction,
                                               at::Tensor& out);

// An element whose target is 0 has the gradient 0 for its target.
void kl_div_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                     int64_t reduction, bool log_target, at::Tensor& out);
void kl_div_target_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                            int64_t reduction, bool log_target, at::Tensor& grad_target);

void multilabel_margin_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction,
                            at::Tensor& out, at::Tensor& is_target);

// Cross entropy of scores [N, C] and class numbers [N].
struct CrossEntropy {
    const std::optional<at::Tensor>& weight;  // one a class
    std::string_view reduction;               // "none", "mean" (by the weights of the targets) or "sum"
    int64_t ignore_index;
    double label_smoothing;
};
void cross_entropy(const at::Tensor& input, const at::Tensor& target, const CrossEntropy& what,
                   at::Tensor& loss, at::Tensor& log_prob);
void cross_entropy_backward(const at::Tensor& grad_loss, const at::Tensor& log_prob, const at::Tensor& target,
                            const CrossEntropy& what, at::Tensor& grad_input);

struct CtcArguments {
    at::IntArrayRef input_lengths;
    at::IntArrayRef target_lengths;
    int64_t blank;
    bool zero_infinity;  // of the gradients; losses stay infinite
};

// Scores are [time, batch, classes] or [time, classes]. What a sequence doesn't use of log_alpha is -inf.
void ctc_loss(const at::Tensor& log_probs, const at::Tensor& targets, const CtcArguments& arguments,
              at::Tensor& neg_log_likelihood, at::Tensor& log_alpha);
void ctc_loss_backward(const at::Tensor& grad_output, const at::Tensor& log_probs, const at::Tensor& targets,
                       const CtcArguments& arguments, const at::Tensor& neg_log_likelihood,
                       const at::Tensor& log_alpha, at::Tensor& grad_input);

}  // namespace opweld::npu::kernels
