// Batch, layer and group normalization. Run under KernelScope. Statistics and parameters of 16-bit inputs are
// kept in float32 whatever dtype the parameters have, as the device does.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <optional>

namespace opweld::npu::kernels {

// A group normalization's view of its input: n samples of `channels` channels with `area` elements each.
struct Groups {
    int64_t n;
    int64_t channels;
    int64_t area;
    int64_t groups;
};

// In training, updates the running statistics that are there. save_mean and save_invstd hold the statistics
// that were used: of the batch in training, else the running ones.
void batch_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& running_mean,
                const std::optional<at::Tensor>& running_var, bool training, double momentum, double eps,
                at::Tensor& out, const std::optional<at::Tensor>& save_mean,
                const std::optional<at::Tensor>& save_invstd);

void batch_norm_backward(
    const at::Tensor& grad_out, const at::Tensor& input, const std::optional<at::Tensor>& weight,
    const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var,
    const std::optional<at::Tensor>& save_mean, const std::optional<at::Tensor>& save_invstd, bool training,
    double eps, c10::ArrayRef<bool> mask, const std::optional<at::Tensor>& grad_input,
    const std::optional<at::Tensor>& grad_weight, const std::optional<at::Tensor>& grad_bias);

void layer_norm(const at::Tensor& input, at::IntArrayRef normalized_shape,
                const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, double eps,
                at::Tensor& out, const std::optional<at::Tensor>& mean,
                const std::optional<at::Tensor>& rstd);

void layer_norm_backward(const at::Tensor& grad_out, const at::Tensor& input,
                         at::IntArrayRef normalized_shape, const at::Tensor& mean, const at::Tensor& rstd,
                         const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                         c10::ArrayRef<bool> mask, const std::optional<at::Tensor>& grad_input,
                         const std::optional<at::Tensor>& grad_weight,
                         const std::optional<at::Tensor>& grad_bias);

void group_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                const std::optional<at::Tensor>& bias, const Groups& groups, double eps, at::Tensor& out,
                at::Tensor& mean, at::Tensor& rstd);

void group_norm_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                         const at::Tensor& rstd, const std::optional<at::Tensor>& weight,
                         const Groups& groups, c10::ArrayRef<bool> mask,
                         const std::optional<at::Tensor>& grad_input,
                         const std::optional<at::Tensor>& grad_weight,
                         const std::optional<at::Tensor>& grad_bias);

}  // namespace opweld::npu::kernels
