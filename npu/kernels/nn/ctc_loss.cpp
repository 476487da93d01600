#include <ATen/ops/_ctc_loss_backward_cpu_dispatch.h>
#include <ATen/ops/_ctc_loss_cpu_dispatch.h>

#include <algorithm>
#include <limits>
#include <string>

#include "npu/kernels/nn/loss.h"
#include "npu/kernels/tensor.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {
namespace {

// Scores of one sequence become a batch of one.
at::Tensor batched(const at::Tensor& log_probs) {
    const at::Tensor wide = widened(log_probs);
    return wide.dim() == 2 ? wide.unsqueeze(1) : wide;
}

// The labels as ATen reads them: from the start of a contiguous list, without a look at their values. Throws
// where one that is used is no class.
at::Tensor labels(const at::Tensor& targets, at::IntArrayRef lengths, int64_t classes) {
    const at::Tensor dense = targets.contiguous();
    const at::Tensor numbers = dense.to(at::kLong);
    const int64_t width = targets.dim() == 2 ? targets.size(1) : 0;
    const auto* const first = numbers.const_data_ptr<int64_t>();
    int64_t start = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        const int64_t place = targets.dim() == 2 ? static_cast<int64_t>(i) * width : start;
        start += lengths[i];
        if (place + lengths[i] > numbers.numel()) {
            throw AclException(161002, "argument 'targets' has " + std::to_string(numbers.numel()) +
                                           " labels, fewer than 'targetLengths' says");
        }
        for (int64_t j = 0; j < lengths[i]; ++j) {
            if (const int64_t label = first[place + j]; label < 0 || label >= classes) {
                throw AclException(161002, "argument 'targets' has the label " + std::to_string(label) +
                                               ", expected 0 to " + std::to_string(classes - 1));
            }
        }
    }
    return dense;
}

}  // namespace

void ctc_loss(const at::Tensor& log_probs, const at::Tensor& targets, const CtcArguments& a,
              at::Tensor& neg_log_likelihood, at::Tensor& log_alpha) {
    const at::Tensor scores = batched(log_probs);
    const auto [loss, alpha] =
        at::cpu::_ctc_loss(scores, labels(targets, a.target_lengths, scores.size(2)), a.input_lengths,
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
        grad_output.to(dtype).reshape({-1}), scores, labels(targets, a.target_lengths, scores.size(2)),
        a.input_lengths, a.target_lengths, neg_log_likelihood.to(dtype).reshape({-1}), alpha, a.blank,
        a.zero_infinity);
    assign(grad_input, gradient.view(grad_input.sizes()));
}

}  // namespace opweld::npu::kernels
