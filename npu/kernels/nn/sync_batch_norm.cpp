#include "npu/kernels/nn/sync_batch_norm.h"

#include <ATen/TensorOperators.h>

#include <vector>

#include "npu/kernels/nn/results.h"
#include "npu/kernels/nn/widened.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

std::vector<int64_t> all_but_channels(const at::Tensor& input) {
    std::vector<int64_t> dims{0};
    for (int64_t dim = 2; dim < input.dim(); ++dim) {
        dims.push_back(dim);
    }
    return dims;
}

// One number a channel, in the dtype that the input is computed in and so that it broadcasts to the input.
at::Tensor spread(const at::Tensor& values, const at::Tensor& input) {
    std::vector<int64_t> shape(static_cast<size_t>(input.dim()), 1);
    shape[1] = values.numel();
    return values.to(input.scalar_type()).view(shape);
}

void move_towards(const std::optional<at::Tensor>& running, const at::Tensor& value, double momentum) {
    if (running.has_value()) {
        at::Tensor target = *running;
        assign(target, widened(target) * (1 - momentum) + value * momentum);
    }
}

// Statistics of all rows together, from the mean and the biased variance of each.
void finish(const at::Tensor& mean, const at::Tensor& variance, const at::Tensor& count, Running running,
            const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var,
            at::Tensor& mean_all, at::Tensor& invstd_all) {
    assign(mean_all, mean);
    assign(invstd_all, (variance + running.eps).rsqrt());
    move_towards(running_mean, mean, running.momentum);
    move_towards(running_var, variance * (count / (count - 1)), running.momentum);
}

}  // namespace

void batch_norm_stats(const at::Tensor& input, double eps, at::Tensor& mean, at::Tensor& invstd) {
    const at::Tensor x = widened(input);
    const std::vector<int64_t> dims = all_but_channels(x);
    assign(mean, x.mean(dims));
    assign(invstd, (x.var(dims, false) + eps).rsqrt());
}

void batch_norm_reduce(const at::Tensor& self, at::Tensor& sum, at::Tensor& square_sum) {
    const at::Tensor x = widened(self);
    const std::vector<int64_t> dims = all_but_channels(x);
    assign(sum, x.sum(dims));
    assign(square_sum, (x * x).sum(dims));
}

void batch_norm_elements(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                         const std::optional<at::Tensor>& bias, const at::Tensor& mean,
                         const at::Tensor& invstd, at::Tensor& output) {
    const at::Tensor x = widened(input);
    at::Tensor result = (x - spread(mean, x)) * spread(invstd, x);
    if (weight.has_value()) {
        result = result * spread(*weight, x);
    }
    if (bias.has_value()) {
        result = result + spread(*bias, x);
    }
    assign(output, result);
}

void batch_norm_gather_stats(const at::Tensor& mean, const at::Tensor& invstd, const at::Tensor& counts,
                             Running running, const std::optional<at::Tensor>& running_mean,
                             const std::optional<at::Tensor>& running_var, at::Tensor& mean_all,
                             at::Tensor& invstd_all) {
    const at::Tensor means = widened(mean);
    const at::Tensor weights = counts.to(means.scalar_type()).reshape({-1, 1});
    const at::Tensor total = weights.sum();
    const at::Tensor variances = widened(invstd).pow(-2) - running.eps;
    const at::Tensor together = (means * weights).sum(0) / total;
    const at::Tensor distances = means - together;
    const at::Tensor variance = ((variances + distances * distances) * weights).sum(0) / total;
    finish(together, variance, total, running, running_mean, running_var, mean_all, invstd_all);
}

void batch_norm_gather_sums(const at::Tensor& sum, const at::Tensor& square_sum, const at::Tensor& counts,
                            Running running, at::Tensor& running_mean, at::Tensor& running_var,
                            at::Tensor& batch_mean, at::Tensor& batch_invstd) {
    const at::Tensor sums = widened(sum);
    const at::Tensor total = counts.to(sums.scalar_type()).sum();
    const at::Tensor mean = sums.sum(0) / total;
    const at::Tensor variance = (widened(square_sum).sum(0) / total - mean * mean).clamp_min(0);
    finish(mean, variance, total, running, running_mean, running_var, batch_mean, batch_invstd);
}

void batch_norm_reduce_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                                const at::Tensor& invstd, std::array<bool, 3> wanted,
                                const std::optional<at::Tensor>& sum_dy,
                                const std::optional<at::Tensor>& sum_dy_xmu,
                                const std::optional<at::Tensor>& grad_weight,
                                const std::optional<at::Tensor>& grad_bias) {
    const at::Tensor x = widened(input);
    const at::Tensor dy = widened(grad_out);
    const std::vector<int64_t> dims = all_but_channels(x);
    const at::Tensor sum = dy.sum(dims);
    const at::Tensor products = (dy * (x - spread(mean, x))).sum(dims);
    assign_if(wanted[0], sum_dy, sum);
    assign_if(wanted[0], sum_dy_xmu, products);
    assign_if(wanted[1], grad_weight, products * widened(invstd));
    assign_if(wanted[2], grad_bias, sum);
}

void batch_norm_elements_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                                  const at::Tensor& invstd, const std::optional<at::Tensor>& weight,
                                  const at::Tensor& sum_dy, const at::Tensor& sum_dy_xmu,
                                  const at::Tensor& counts, at::Tensor& grad_input) {
    const at::Tensor x = widened(input);
    const at::Tensor count = counts.to(x.scalar_type()).sum();
    const at::Tensor factor = spread(invstd, x);
    const at::Tensor slope = factor * factor * spread(sum_dy_xmu, x) / count;
    at::Tensor result = widened(grad_out) - spread(sum_dy, x) / count - (x - spread(mean, x)) * slope;
    result = result * factor;
    if (weight.has_value()) {
        result = result * spread(*weight, x);
    }
    assign(grad_input, result);
}

}  // namespace opweld::npu::kernels
