// Matrix products with the precision that the matrix unit is asked for.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opweld::npu::kernels {

// An operand as the matrix unit reads it. `cube_math_type`: 0 as it is, 1 or 3 float32 as HF32 (8 bits of
// exponent and 11 of mantissa, rounded to nearest), 2 float32 through float16. Other dtypes are left alone.
at::Tensor cube_operand(const at::Tensor& tensor, int64_t cube_math_type);

// out = left @ right, as torch.matmul; a product of 16-bit operands may go to a float32 output.
void matmul(const at::Tensor& left, const at::Tensor& right, int64_t cube_math_type, at::Tensor& out);

// out = beta * self + alpha * (left @ right), for matrices or for batches of them
void addmm(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right, const at::Scalar& beta,
           const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out);

}  // namespace opweld::npu::kernels
