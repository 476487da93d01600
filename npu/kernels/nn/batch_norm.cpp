#include <ATen/ops/add.h>
#include <ATen/ops/native_batch_norm_backward_native.h>
#include <ATen/ops/native_batch_norm_native.h>
#include <ATen/ops/rsqrt.h>

#include <tuple>

#include "npu/kernels/nn/normalization.h"
#include "npu/kernels/nn/normalization_util.h"
#include "npu/kernels/nn/results.h"

namespace opweld::npu::kernels {
namespace {

// Stores running statistics that were updated in another dtype than the caller keeps them in.
void store_running(const std::optional<at::Tensor>& caller, const std::optional<at::Tensor>& updated) {
    if (caller.has_value() && !caller->is_same(*updated)) {
        assign_if(true, caller, *updated);
    }
}

}  // namespace

void batch_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& running_mean,
                const std::optional<at::Tensor>& running_var, bool training, double momentum, double eps,
                at::Tensor& out, const std::optional<at::Tensor>& save_mean,
                const std::optional<at::Tensor>& save_invstd) {
    const auto mean = parameter(input, running_mean);
    const auto variance = parameter(input, running_var);
    const auto results = at::native::batch_norm_cpu(input, parameter(input, weight), parameter(input, bias),
                                                    mean, variance, training, momentum, eps);
    assign(out, std::get<0>(results));
    if (training) {
        store_running(running_mean, mean);
        store_running(running_var, variance);
        assign_if(true, save_mean, std::get<1>(results));
        assign_if(true, save_invstd, std::get<2>(results));
    } else {
        assign_if(true, save_mean, *mean);
        assign_if(true, save_invstd, at::rsqrt(at::add(*variance, eps)));
    }
}

void batch_norm_backward(
    const at::Tensor& grad_out, const at::Tensor& input, const std::optional<at::Tensor>& weight,
    const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var,
    const std::optional<at::Tensor>& save_mean, const std::optional<at::Tensor>& save_invstd, bool training,
    double eps, c10::ArrayRef<bool> mask, const std::optional<at::Tensor>& grad_input,
    const std::optional<at::Tensor>& grad_weight, const std::optional<at::Tensor>& grad_bias) {
    // ATen sums the gradients of the parameters up in the input's dtype.
    const auto dtype = parameter_dtype(input);
    const auto results = at::native::batch_norm_backward_cpu(
        grad_out.to(dtype), input.to(dtype), parameter(input, weight), parameter(input, running_mean),
        parameter(input, running_var), parameter(input, save_mean), parameter(input, save_invstd), training,
        eps, wanted_gradients(mask));
    assign_if(mask[0], grad_input, std::get<0>(results));
    assign_if(mask[1], grad_weight, std::get<1>(results));
    assign_if(mask[2], grad_bias, std::get<2>(results));
}

}  // namespace opweld::npu::kernels
