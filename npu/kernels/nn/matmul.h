// Products of matrices and of batches of them. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <cstdint>

namespace opweld::npu::kernels {

// out = self @ mat2 with the rules of torch.matmul. A wider dtype of out is what the product is accumulated in.
// For cube_math_type see cube_math.h.
void matmul(const at::Tensor& self, const at::Tensor& mat2, int64_t cube_math_type, at::Tensor& out);

// out = beta * self + alpha * (batch1 @ batch2).
void baddbmm(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta,
             const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out);

}  // namespace opweld::npu::kernels
