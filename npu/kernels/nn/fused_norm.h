// Normalizations that are joined with what comes before them. All compute in float32 (float64 for float64)
// and round what they store; statistics are float32. `gamma` has the shape of the last dimensions, over which
// is normalized.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace opweld::npu::kernels {

// y = x / sqrt(mean(x^2) + epsilon) * (gamma + shift); rstd is the factor of x.
void rms_norm(const at::Tensor& x, const at::Tensor& gamma, double epsilon, double shift, at::Tensor& y,
              at::Tensor& rstd);
void rms_norm_backward(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& rstd,
                       const at::Tensor& gamma, at::Tensor& grad_x, at::Tensor& grad_gamma);
// The same of x = x1 + x2, which is stored, too.
void add_rms_norm(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& gamma, double epsilon,
                  at::Tensor& y, at::Tensor& rstd, at::Tensor& x);

// y = layer_norm(x1 + x2 + bias) * gamma + beta; x is the sum.
void add_layer_norm(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& gamma,
                    const at::Tensor& beta, const std::optional<at::Tensor>& bias, double epsilon,
                    at::Tensor& y, at::Tensor& mean, at::Tensor& rstd, at::Tensor& x);
// `grad_sum` comes to the gradient of the sum.
void add_layer_norm_backward(const at::Tensor& grad, const at::Tensor& x1, const at::Tensor& x2,
                             const at::Tensor& rstd, const at::Tensor& mean, const at::Tensor& gamma,
                             const std::optional<at::Tensor>& grad_sum, at::Tensor& grad_x,
                             at::Tensor& grad_gamma, at::Tensor& grad_beta);

// y = layer_norm(x * alpha + residual) * gamma + beta.
void deep_norm(const at::Tensor& x, const at::Tensor& residual, const at::Tensor& beta,
               const at::Tensor& gamma, double alpha, double epsilon, at::Tensor& mean, at::Tensor& rstd,
               at::Tensor& y);
void deep_norm_backward(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& residual,
                        const at::Tensor& gamma, const at::Tensor& mean, const at::Tensor& rstd, double alpha,
                        at::Tensor& grad_x, at::Tensor& grad_residual, at::Tensor& grad_beta,
                        at::Tensor& grad_gamma);

}  // namespace opweld::npu::kernels
