#include <ATen/TensorOperators.h>
#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>

#include "npu/kernels/nn/loss.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// The loss is -sum(shares * log_prob) over the classes.
struct Shares {
    at::Tensor shares;  // [N, C]; rows of ignored targets are 0
    at::Tensor total;   // the weights of the targets
};

Shares shares_of(const at::Tensor& log_prob, const at::Tensor& target, const CrossEntropy& what) {
    const int64_t count = log_prob.size(1);
    const at::Tensor numbers = classes(target, count, what.ignore_index);
    const at::Tensor kept = numbers != what.ignore_index;
    const at::Tensor safe = numbers.masked_fill(kept.logical_not(), 0);
    const at::Tensor weights = what.weight.has_value() ? what.weight->to(log_prob.scalar_type())
                                                       : at::ones({count}, log_prob.options());
    const at::Tensor used = weights.index_select(0, safe) * kept;
    at::Tensor shares = at::zeros_like(log_prob);
    shares.scatter_(1, safe.unsqueeze(1), (used * (1 - what.label_smoothing)).unsqueeze(1));
    if (what.label_smoothing != 0) {
        const double part = what.label_smoothing / static_cast<double>(count);
        shares = shares + weights.unsqueeze(0) * part * kept.unsqueeze(1);
    }
    return {.shares = shares, .total = used.sum()};
}

}  // namespace

void cross_entropy(const at::Tensor& input, const at::Tensor& target, const CrossEntropy& what,
                   at::Tensor& loss, at::Tensor& log_prob) {
    const at::Tensor logs = at::_log_softmax(widened(input), 1, false);
    const auto [shares, total] = shares_of(logs, target, what);
    at::Tensor result = -(shares * logs).sum(1);
    if (what.reduction != "none") {
        result = result.sum();
    }
    if (what.reduction == "mean") {
        result = result / total;
    }
    assign(loss, result.view(loss.sizes()));
    assign(log_prob, logs);
}

void cross_entropy_backward(const at::Tensor& grad_loss, const at::Tensor& log_prob, const at::Tensor& target,
                            const CrossEntropy& what, at::Tensor& grad_input) {
    const at::Tensor logs = widened(log_prob);
    const auto [shares, total] = shares_of(logs, target, what);
    at::Tensor gradient = widened(grad_loss).reshape({-1, 1});
    if (what.reduction == "mean") {
        gradient = gradient / total;
    }
    assign(grad_input, (logs.exp() * shares.sum(1, true) - shares) * gradient);
}

}  // namespace opweld::npu::kernels
