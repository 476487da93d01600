#include "npu/ge/operators/normalizations.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sum.h>

#include <numeric>

#include "npu/ge/operators/kernel_call.h"
#include "npu/ge/operators/reductions.h"
#include "npu/kernels/nn/batch_norm_gradient.h"

namespace opweld::npu::graph {
namespace {

// One number a channel, in a shape that broadcasts with x.
at::Tensor of_channels(const at::Tensor& values, const at::Tensor& x) {
    std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
    sizes[1] = x.size(1);
    return values.to(wide_dtype(x)).reshape(sizes);
}

std::vector<int64_t> all_but_channels(const at::Tensor& x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.dim()));
    std::iota(axes.begin(), axes.end(), 0);
    axes.erase(axes.begin() + 1);
    return axes;
}

at::Tensor wide(const at::Tensor& x) { return x.to(wide_dtype(x)); }

struct GroupSizes {
    int64_t n;
    int64_t channels;
    int64_t area;
};

GroupSizes group_sizes(const at::Tensor& x) {
    const int64_t rows = x.size(0) * x.size(1);
    return {x.size(0), x.size(1), rows == 0 ? 0 : x.numel() / rows};
}

}  // namespace

Results batch_norm_forms(const at::Tensor& x, const at::Tensor& running_mean, const at::Tensor& running_var) {
    const at::Tensor statistic = form_of(x, {x.size(1)}, wide_dtype(x));
    return {form_like(x), form_like(running_mean), form_like(running_var), statistic, form_like(statistic)};
}

void batch_norm_into(std::span<at::Tensor> outputs, const at::Tensor& x, const at::Tensor& weight,
                     const at::Tensor& bias, const at::Tensor& running_mean, const at::Tensor& running_var,
                     bool training, double momentum, double epsilon) {
    outputs[1].copy_(running_mean);
    outputs[2].copy_(running_var);
    run_kernel("BatchNorm", x, std::optional(weight), std::optional(bias), std::optional(outputs[1]),
               std::optional(outputs[2]), training, momentum, epsilon, outputs[0], std::optional(outputs[3]),
               std::optional(outputs[4]));
}

Results in_order_of_aten(Results results) {
    std::swap(results[1], results[3]);
    std::swap(results[2], results[4]);
    return results;
}

void batch_norm_parameter_gradients_into(std::span<at::Tensor> outputs, const at::Tensor& grads,
                                         const at::Tensor& x, const at::Tensor& mean,
                                         const at::Tensor& rstd) {
    if (kernels::suits_batch_norm_gradient(grads, x, mean, rstd)) {
        kernels::batch_norm_parameter_gradients(grads, x, mean, rstd, outputs[0], outputs[1]);
        return;
    }
    const auto axes = all_but_channels(x);
    const at::Tensor centered = (wide(x) - of_channels(mean, x)) * of_channels(rstd, x);
    outputs[0].copy_(at::sum(wide(grads) * centered, axes).reshape(mean.sizes()));
    outputs[1].copy_(at::sum(wide(grads), axes).reshape(mean.sizes()));
}

void batch_norm_input_gradient_into(at::Tensor& y, const at::Tensor& grads, const at::Tensor& x,
                                    const BatchNormGradients& of) {
    const auto is_plain = [&](const at::Tensor& tensor) {
        return tensor.scalar_type() == at::kFloat && tensor.is_contiguous() && tensor.numel() == x.size(1);
    };
    if (kernels::suits_batch_norm_gradient(grads, x, of.mean, of.rstd) && is_plain(of.diff_scale) &&
        is_plain(of.diff_offset) && is_plain(of.scale)) {
        kernels::batch_norm_input_gradient(grads, x, of.diff_scale, of.diff_offset, of.scale, of.mean,
                                           of.rstd, y);
        return;
    }
    const double count = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
    const at::Tensor centered = (wide(x) - of_channels(of.mean, x)) * of_channels(of.rstd, x);
    const at::Tensor rest = wide(grads) - of_channels(of.diff_offset, x) / count -
                            centered * (of_channels(of.diff_scale, x) / count);
    y.copy_(rest * of_channels(of.scale, x) * of_channels(of.rstd, x));
}

at::Tensor batch_norm_inference_gradient(const at::Tensor& grads, const at::Tensor& scale,
                                         const at::Tensor& variance, double epsilon) {
    const at::Tensor factor = wide(scale) * reciprocal_deviation(variance, epsilon);
    return (wide(grads) * of_channels(factor, grads)).to(grads.scalar_type()).contiguous();
}

at::Tensor reciprocal_deviation(const at::Tensor& variance, double epsilon) {
    return at::rsqrt(wide(variance) + epsilon);
}

std::vector<int64_t> layer_statistics(const at::Tensor& x, at::IntArrayRef normalized_shape) {
    std::vector<int64_t> sizes = x.sizes().vec();
    for (size_t i = sizes.size() - std::min(normalized_shape.size(), sizes.size()); i < sizes.size(); ++i) {
        sizes[i] = 1;
    }
    return sizes;
}

Results group_norm_forms(const at::Tensor& x, int64_t groups) {
    const at::Tensor statistic = form_of(x, {x.size(0), groups}, x.scalar_type());
    return {form_like(x), statistic, form_like(statistic)};
}

void group_norm_into(std::span<at::Tensor> outputs, const at::Tensor& x, const at::Tensor& gamma,
                     const at::Tensor& beta, int64_t groups, double epsilon) {
    const GroupSizes sizes = group_sizes(x);
    run_kernel("GroupNorm", x, std::optional(gamma), std::optional(beta), sizes.n, sizes.channels, sizes.area,
               groups, epsilon, outputs[0], outputs[1], outputs[2]);
}

void group_norm_variance_into(std::span<at::Tensor> outputs, const at::Tensor& x, const at::Tensor& gamma,
                              const at::Tensor& beta, int64_t groups, double epsilon) {
    group_norm_into(outputs, x, gamma, beta, groups, epsilon);
    outputs[2].copy_(wide(outputs[2]).pow(-2) - epsilon);
}

void group_norm_gradient_into(std::span<at::Tensor> outputs, const at::Tensor& dy, const at::Tensor& mean,
                              const at::Tensor& rstd, const at::Tensor& x, const at::Tensor& gamma,
                              int64_t groups) {
    const GroupSizes sizes = group_sizes(x);
    run_kernel("GroupNormBackward", dy, x, mean, rstd, std::optional(gamma), sizes.n, sizes.channels,
               sizes.area, groups, std::array{true, true, true}, std::optional(outputs[0]),
               std::optional(outputs[1]), std::optional(outputs[2]));
}

at::Tensor deviation_around(const at::Tensor& x, const at::Tensor& mean, at::IntArrayRef dim,
                            int64_t correction, bool keepdim, bool invert, double epsilon) {
    const auto axes = all_where_empty(x, dim);
    int64_t count = 1;
    for (const int64_t axis : axes) {
        count *= x.size(axis);
    }
    const at::Tensor squares = (wide(x) - wide(mean)).square();
    const at::Tensor variance =
        at::sum(squares, axes, keepdim) / static_cast<double>(std::max<int64_t>(count - correction, 0));
    return (invert ? at::rsqrt(variance + epsilon) : at::sqrt(variance)).to(x.scalar_type());
}

}  // namespace opweld::npu::graph
