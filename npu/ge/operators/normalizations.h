// Batch, layer and group normalization: forms of the results, and the gradients that stand in several
// operators.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/ge/operators/call.h"
#include "npu/ge/operators/forms.h"

namespace opweld::npu::graph {

// Channels are dimension 1.
Results batch_norm_forms(const at::Tensor& x, const at::Tensor& running_mean, const at::Tensor& running_var);
void batch_norm_into(std::span<at::Tensor> outputs, const at::Tensor& x, const at::Tensor& weight,
                     const at::Tensor& bias, const at::Tensor& running_mean, const at::Tensor& running_var,
                     bool training, double momentum, double epsilon);

// The five results with the running statistics last, or back from that order.
Results in_order_of_aten(Results results);

// The gradients of scale and offset of a batch normalization; `rstd` is 1 / sqrt(variance + epsilon).
void batch_norm_parameter_gradients_into(std::span<at::Tensor> outputs, const at::Tensor& grads,
                                         const at::Tensor& x, const at::Tensor& mean, const at::Tensor& rstd);
// One number a channel each.
struct BatchNormGradients {
    const at::Tensor& diff_scale;
    const at::Tensor& diff_offset;
    const at::Tensor& scale;
    const at::Tensor& mean;
    const at::Tensor& rstd;
};
// The gradient of x, from those.
void batch_norm_input_gradient_into(at::Tensor& y, const at::Tensor& grads, const at::Tensor& x,
                                    const BatchNormGradients& of);
// Of one that used the running variance.
at::Tensor batch_norm_inference_gradient(const at::Tensor& grads, const at::Tensor& scale,
                                         const at::Tensor& variance, double epsilon);
at::Tensor reciprocal_deviation(const at::Tensor& variance, double epsilon);

// The shape of mean and rstd: normalized dimensions have size 1.
std::vector<int64_t> layer_statistics(const at::Tensor& x, at::IntArrayRef normalized_shape);

// y, mean and rstd of a group normalization of channels in dimension 1.
Results group_norm_forms(const at::Tensor& x, int64_t groups);
void group_norm_into(std::span<at::Tensor> outputs, const at::Tensor& x, const at::Tensor& gamma,
                     const at::Tensor& beta, int64_t groups, double epsilon);
// The same with the variance instead of rstd.
void group_norm_variance_into(std::span<at::Tensor> outputs, const at::Tensor& x, const at::Tensor& gamma,
                              const at::Tensor& beta, int64_t groups, double epsilon);
void group_norm_gradient_into(std::span<at::Tensor> outputs, const at::Tensor& dy, const at::Tensor& mean,
                              const at::Tensor& rstd, const at::Tensor& x, const at::Tensor& gamma,
                              int64_t groups);

// The standard deviation around a given mean, or its reciprocal.
at::Tensor deviation_around(const at::Tensor& x, const at::Tensor& mean, at::IntArrayRef dim,
                            int64_t correction, bool keepdim, bool invert, double epsilon);

}  // namespace opweld::npu::graph
