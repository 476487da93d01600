#include <ATen/ops/_ctc_loss_backward_cpu_dispatch.h>
#include <ATen/ops/_ctc_loss_cpu_dispatch.h>

#include <algorithm>
#include <limits>

#include "npu/kernels/nn/loss.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// Scores of one sequence become a batch of one.
at::Tensor batched(const at::Tensor& log_probs) {
    const at::Tensor wide = widened(log_probs);
    return wide.dim() == 2 ? wide.unsqueeze(1) : wide;
}

}  // namespace

void ctc_loss(const at::Tensor& log_probs, const at::Tensor& targets, const CtcArguments& a,
              at::Tensor& neg_log_likelihood, at::Tensor& log_alpha) {
    // ATen counts from the start of a contiguous list.
    const auto [loss, alpha] = at::cpu::_ctc_loss(batched(log_probs), targets.contiguous(), a.input_lengths,
                                                  a.target_lengths, a.blank, a.zero_infinity);
    assign(neg_log_likelihood, loss.view(neg_log_likelihood.sizes()));
    log_alpha.fill_(-std::numeric_limits<double>::infinity());
    for (int64_t i = 0; i < alpha.size(0); ++i) {
        const auto used = [&](const at::Tensor& all) {
            const auto index = static_cast<size_t>(i);
            return all.select(0, i)
                .narrow(0, 0, a.input_lengths[index])
                .narrow(1, 0, 2 * a.target_lengths[index] + 1);
        };
        used(log_alpha).copy_(used(alpha));
    }
}

void ctc_loss_backward(const at::Tensor& grad_output, const at::Tensor& log_probs, const at::Tensor& targets,
                       const CtcArguments& a, const at::Tensor& neg_log_likelihood,
                       const at::Tensor& log_alpha, at::Tensor& grad_input) {
    const at::Tensor scores = batched(log_probs);
    const at::ScalarType dtype = scores.scalar_type();
    int64_t longest = 0;
    for (const int64_t length : a.target_lengths) {
        longest = std::max(longest, length);
    }
    const at::Tensor alpha = log_alpha.narrow(2, 0, 2 * longest + 1).to(dtype).contiguous();
    const at::Tensor gradient = at::cpu::_ctc_loss_backward(
        grad_output.to(dtype).reshape({-1}), scores, targets.contiguous(), a.input_lengths, a.target_lengths,
        neg_log_likelihood.to(dtype).reshape({-1}), alpha, a.blank, a.zero_infinity);
    assign(grad_input, gradient.view(grad_input.sizes()));
}

}  // namespace opweld::npu::kernels
