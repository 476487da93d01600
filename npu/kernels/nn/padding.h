// Padding. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include "npu/kernels/nn/widened.h"

namespace opweld::npu::kernels {

// `padding` has two numbers a dimension, from the last one on.
void constant_pad(const at::Tensor& self, at::IntArrayRef padding, const at::Scalar& value, at::Tensor& out);

}  // namespace opweld::npu::kernels
