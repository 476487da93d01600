// Batch normalization in steps, with statistics of several devices. Run under KernelScope. Channels are
// dimension 1; sums and statistics are computed in float32 or float64.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>

namespace opweld::npu::kernels {

void batch_norm_stats(const at::Tensor& input, double eps, at::Tensor& mean, at::Tensor& invstd);
void batch_norm_reduce(const at::Tensor& self, at::Tensor& sum, at::Tensor& square_sum);
void batch_norm_elements(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                         const std::optional<at::Tensor>& bias, const at::Tensor& mean,
                         const at::Tensor& invstd, at::Tensor& output);

struct Running {
    double momentum;
    double eps;
};

// The statistics of all devices from those of each, a row a device; running ones move towards them, with the
// variance of a sample.
void batch_norm_gather_stats(const at::Tensor& mean, const at::Tensor& invstd, const at::Tensor& counts,
                             Running running, const std::optional<at::Tensor>& running_mean,
                             const std::optional<at::Tensor>& running_var, at::Tensor& mean_all,
                             at::Tensor& invstd_all);
// The same from the sums of elements and of their squares.
void batch_norm_gather_sums(const at::Tensor& sum, const at::Tensor& square_sum, const at::Tensor& counts,
                            Running running, at::Tensor& running_mean, at::Tensor& running_var,
                            at::Tensor& batch_mean, at::Tensor& batch_invstd);

// Sums over gradients: of each, and of each times the input's distance from the mean.
void batch_norm_reduce_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                                const at::Tensor& invstd, std::array<bool, 3> wanted,
                                const std::optional<at::Tensor>& sum_dy,
                                const std::optional<at::Tensor>& sum_dy_xmu,
                                const std::optional<at::Tensor>& grad_weight,
                                const std::optional<at::Tensor>& grad_bias);
void batch_norm_elements_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                                  const at::Tensor& invstd, const std::optional<at::Tensor>& weight,
                                  const at::Tensor& sum_dy, const at::Tensor& sum_dy_xmu,
                                  const at::Tensor& counts, at::Tensor& grad_input);

}  // namespace opweld::npu::kernels
