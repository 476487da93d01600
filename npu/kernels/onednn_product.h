// A matrix product into given memory by oneDNN, where ATen would take MKL.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// Whether oneDNN computes the product of two float32 matrices into `y`; it is quicker there than the one that
// ATen takes, by a tenth where MKL knows the processor less well. For all other dtypes ATen takes it by
// itself.
OPWELD_EXPORT bool suits_onednn(const at::Tensor& a, const at::Tensor& b, const at::Tensor& y);

// y = beta * y + a b, of matrices that suit.
OPWELD_EXPORT void onednn_product(at::Tensor& y, const at::Tensor& a, const at::Tensor& b, float beta);

// y = a b, of any two matrices.
OPWELD_EXPORT void multiply_into(at::Tensor& y, const at::Tensor& a, const at::Tensor& b);

}  // namespace opweld::npu::kernels
