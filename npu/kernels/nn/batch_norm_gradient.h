// The two halves of a batch norm's gradient, as graphs have them: each reads its inputs once.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// Whether the functions below take these: [n, channels, ...] of float32 or bfloat16, both contiguous, with
// float32 statistics.
OPWELD_EXPORT bool suits_batch_norm_gradient(const at::Tensor& grads, const at::Tensor& x,
                                             const at::Tensor& mean, const at::Tensor& rstd);

// diff_scale[c] = sum of grads (x - mean[c]) rstd[c], diff_offset[c] = sum of grads; float32 [channels].
OPWELD_EXPORT void batch_norm_parameter_gradients(const at::Tensor& grads, const at::Tensor& x,
                                                  const at::Tensor& mean, const at::Tensor& rstd,
                                                  at::Tensor& diff_scale, at::Tensor& diff_offset);

// y = scale rstd (grads - diff_offset / m - (x - mean) rstd diff_scale / m), where m is the number of
// elements of a channel; all parameters float32 [channels], y contiguous, of the dtype of grads.
OPWELD_EXPORT void batch_norm_input_gradient(const at::Tensor& grads, const at::Tensor& x,
                                             const at::Tensor& diff_scale, const at::Tensor& diff_offset,
                                             const at::Tensor& scale, const at::Tensor& mean,
                                             const at::Tensor& rstd, at::Tensor& y);

}  // namespace opweld::npu::kernels
