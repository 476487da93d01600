// Cutting tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opweld::npu::kernels {

// The upper or lower triangle of each matrix, from or up to a diagonal; the rest is zero. Rows are copied
// whole: torch_npu makes a mask of 2048 x 2048 bytes in this way for each causal attention.
void triangle(const at::Tensor& self, int64_t diagonal, bool upper, at::Tensor& out);

}  // namespace opweld::npu::kernels
