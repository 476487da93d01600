#include "npu/ge/operators/activations.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <numeric>

#include "npu/ge/operators/forms.h"

namespace opweld::npu::graph {

// The formula equals x * sigmoid(1.702 x), written so that no exponent is positive.
constexpr double kFastGelu = 1.702;

at::Tensor fast_gelu(const at::Tensor& x) { return at::mul(x, at::sigmoid(at::mul(x, kFastGelu))); }

at::Tensor fast_gelu_gradient(const at::Tensor& dy, const at::Tensor& x) {
    const at::Tensor s = at::sigmoid(at::mul(x, kFastGelu));
    return dy * (s + x * kFastGelu * s * (1 - s));
}

at::Tensor swish_gradient(const at::Tensor& grad, const at::Tensor& x, double scale) {
    if (scale == 1.0) {
        return at::silu_backward(grad, x);
    }
    const at::Tensor wide = x.to(wide_dtype(x));
    const at::Tensor s = at::sigmoid(wide * scale);
    return (grad * (s + wide * scale * s * (1 - s))).to(x.scalar_type());
}

at::Tensor hard_sigmoid_gradient(const at::Tensor& grad, const at::Tensor& x, double alpha, double beta) {
    const at::Tensor linear = x * alpha + beta;
    return at::mul(grad * alpha,
                   at::logical_and(at::gt(linear, 0), at::lt(linear, 1)).to(grad.scalar_type()));
}

at::Tensor weight_of_channels(const at::Tensor& weight, const at::Tensor& x) {
    if (weight.numel() == 1 || x.dim() < 2) {
        return weight.reshape(x.dim() == 0 ? at::IntArrayRef{} : at::IntArrayRef{-1});
    }
    std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
    sizes[1] = weight.numel();
    return weight.reshape(sizes);
}

Results prelu_gradient(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight) {
    const at::Tensor positive = at::gt(x, 0);
    const at::Tensor dx = at::where(positive, grad, weight_of_channels(weight, x) * grad);
    const at::Tensor each = at::mul(x * grad, at::where(positive, 0, 1).to(x.scalar_type()));
    if (weight.numel() == 1 || x.dim() < 2) {
        return {dx, each.sum().reshape(weight.sizes()).to(weight.scalar_type())};
    }
    std::vector<int64_t> axes(static_cast<size_t>(x.dim()));
    std::iota(axes.begin(), axes.end(), 0);
    axes.erase(axes.begin() + 1);
    return {dx, each.sum(axes).reshape(weight.sizes()).to(weight.scalar_type())};
}

at::Tensor swiglu(const at::Tensor& x, int64_t dim) {
    const int64_t half = x.size(dim) / 2;
    return at::mul(at::silu(x.narrow(dim, 0, half)), x.narrow(dim, half, half));
}

at::Tensor swiglu_gradient(const at::Tensor& dy, const at::Tensor& x, int64_t dim) {
    const int64_t half = x.size(dim) / 2;
    const at::Tensor a = x.narrow(dim, 0, half);
    return at::cat(
        std::vector<at::Tensor>{at::silu_backward(dy * x.narrow(dim, half, half), a), dy * at::silu(a)}, dim);
}

int64_t one_axis(at::IntArrayRef axes) {
    if (axes.size() != 1) {
        throw GraphError(fmt::format("{} axes; one is supported", axes.size()));
    }
    return axes.front();
}

at::Tensor softmax_over(const at::Tensor& x, at::IntArrayRef axes, bool half_to_float) {
    const bool widened = half_to_float && x.scalar_type() != at::kFloat;
    return at::_softmax(widened ? x.to(at::kFloat) : x, one_axis(axes), false);
}

void softmax_into(at::Tensor& y, const at::Tensor& x, at::IntArrayRef axes, bool half_to_float) {
    const bool widened = half_to_float && x.scalar_type() != at::kFloat;
    at::_softmax_out(y, widened ? x.to(at::kFloat) : x, one_axis(axes), false);
}

}  // namespace opweld::npu::graph
