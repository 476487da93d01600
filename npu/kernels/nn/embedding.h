// Embedding tables and their gradients. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opweld::npu::kernels {

// out[..., :] = weight[indices[...], :]. Throws for an index outside the table.
void embedding(const at::Tensor& weight, const at::Tensor& indices, at::Tensor& out);

// The dense gradient of a table with num_weights rows. 16-bit gradients are summed in float32.
void embedding_dense_backward(const at::Tensor& grad_output, const at::Tensor& indices, int64_t num_weights,
                              int64_t padding_idx, bool scale_grad_by_freq, at::Tensor& out);

}  // namespace opweld::npu::kernels
