// Forms of normalizations that are joined with something else.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// float32 statistics of a normalization over the last dimensions of x, those of gamma: 1 in place of each of
// them. Throws GraphError unless gamma has the shape of x' last dimensions.
at::Tensor statistics_form(const at::Tensor& x, const at::Tensor& gamma);

// A contiguous tensor like x; of another dtype.
at::Tensor dense_like(const at::Tensor& x);
at::Tensor dense_like(const at::Tensor& x, at::ScalarType dtype);

// Group normalization and x * sigmoid(x) after it; mean and the factor of each group in the dtype of gamma.
Results group_norm_silu(const at::Tensor& x, const std::optional<at::Tensor>& gamma,
                        const std::optional<at::Tensor>& beta, int64_t groups, double epsilon);
Results group_norm_silu_form(const at::Tensor& x, const std::optional<at::Tensor>& gamma, int64_t groups);

// Batch normalization over several devices: x and dy are like each other, the rest broadcasts.
at::Tensor sync_batch_norm_input_gradient(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean,
                                          const at::Tensor& invstd, const at::Tensor& weight,
                                          const at::Tensor& mean_dy, const at::Tensor& mean_dy_xmu);

}  // namespace opweld::npu::graph
