#include <ATen/ops/native_group_norm_backward_native.h>
#include <ATen/ops/native_group_norm_native.h>
#include <ATen/ops/ones.h>

#include <tuple>

#include "npu/kernels/nn/normalization.h"
#include "npu/kernels/nn/normalization_util.h"
#include "npu/kernels/nn/results.h"

namespace opweld::npu::kernels {
namespace {

std::optional<at::Tensor> float_weight(const at::Tensor& input, int64_t channels,
                                       const std::optional<at::Tensor>& weight) {
    if (!weight.has_value() && is_reduced(input.scalar_type())) {
        return at::ones({channels}, input.options().dtype(at::kFloat));
    }
    return parameter(input, weight);
}

}  // namespace

void group_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                const std::optional<at::Tensor>& bias, const Groups& groups, double eps, at::Tensor& out,
                at::Tensor& mean, at::Tensor& rstd) {
    const auto results = at::native::native_group_norm(
        input.contiguous(), float_weight(input, groups.channels, weight), parameter(input, bias), groups.n,
        groups.channels, groups.area, groups.groups, eps);
    assign(out, std::get<0>(results));
    assign(mean, std::get<1>(results));
    assign(rstd, std::get<2>(results));
}

void group_norm_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                         const at::Tensor& rstd, const std::optional<at::Tensor>& weight,
                         const Groups& groups, c10::ArrayRef<bool> mask,
                         const std::optional<at::Tensor>& grad_input,
                         const std::optional<at::Tensor>& grad_weight,
                         const std::optional<at::Tensor>& grad_bias) {
    const auto dtype = parameter_dtype(input);
    const auto results = at::native::native_group_norm_backward(
        grad_out.to(dtype).contiguous(), input.to(dtype).contiguous(), mean.to(dtype).contiguous(),
        rstd.to(dtype).contiguous(), parameter(input, weight), groups.n, groups.channels, groups.area,
        groups.groups, wanted_gradients(mask));
    assign_if(mask[0], grad_input, std::get<0>(results));
    assign_if(mask[1], grad_weight, std::get<1>(results));
    assign_if(mask[2], grad_bias, std::get<2>(results));
}

}  // namespace opweld::npu::kernels
