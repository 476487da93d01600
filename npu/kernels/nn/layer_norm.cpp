#include <ATen/ops/native_layer_norm_backward_native.h>
#include <ATen/ops/native_layer_norm_native.h>
#include <ATen/ops/ones.h>

#include <tuple>

#include "npu/kernels/nn/normalization.h"
#include "npu/kernels/nn/normalization_util.h"
#include "npu/kernels/nn/results.h"

namespace opweld::npu::kernels {
namespace {

// A weight of ones where there is none and the input has 16 bits: without it, the statistics would have 16
// bits too.
std::optional<at::Tensor> float_weight(const at::Tensor& input, at::IntArrayRef shape,
                                       const std::optional<at::Tensor>& weight) {
    if (!weight.has_value() && is_reduced(input.scalar_type())) {
        return at::ones(shape, input.options().dtype(at::kFloat));
    }
    return parameter(input, weight);
}

}  // namespace

void layer_norm(const at::Tensor& input, at::IntArrayRef normalized_shape,
                const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, double eps,
                at::Tensor& out, const std::optional<at::Tensor>& mean,
                const std::optional<at::Tensor>& rstd) {
    const auto results = at::native::layer_norm_cpu(
        input, normalized_shape, float_weight(input, normalized_shape, weight), parameter(input, bias), eps);
    assign(out, std::get<0>(results));
    if (mean.has_value()) {
        assign_if(true, mean, std::get<1>(results).view(mean->sizes()));
    }
    if (rstd.has_value()) {
        assign_if(true, rstd, std::get<2>(results).view(rstd->sizes()));
    }
}

void layer_norm_backward(const at::Tensor& grad_out, const at::Tensor& input,
                         at::IntArrayRef normalized_shape, const at::Tensor& mean, const at::Tensor& rstd,
                         const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                         c10::ArrayRef<bool> mask, const std::optional<at::Tensor>& grad_input,
                         const std::optional<at::Tensor>& grad_weight,
                         const std::optional<at::Tensor>& grad_bias) {
    // ATen sums the gradients of the parameters up in the input's dtype.
    const auto dtype = parameter_dtype(input);
    const auto results = at::native::layer_norm_backward_cpu(
        grad_out.to(dtype), input.to(dtype), normalized_shape, mean.to(dtype), rstd.to(dtype),
        parameter(input, weight), parameter(input, bias), wanted_gradients(mask));
    assign_if(mask[0], grad_input, std::get<0>(results));
    assign_if(mask[1], grad_weight, std::get<1>(results));
    assign_if(mask[2], grad_bias, std::get<2>(results));
}

}  // namespace opweld::npu::kernels
