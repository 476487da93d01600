// The gradient of a convolution's filters as one matrix product.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/kernels/nn/convolution.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// Whether the product is the quicker way: large filters over few output pixels, where laying out the filters
// anew for a convolution's kernel takes longer than the products. Tensors are [batch, channels, height,
// width].
OPWELD_EXPORT bool suits_filter_product(const at::Tensor& grad_output, const at::Tensor& input,
                                        const at::Tensor& weight, const Convolution& what);

// Writes the gradient of the filters [outputs, channels, height, width]; padding has one number for each
// dimension, or one for both.
OPWELD_EXPORT void filter_product(const at::Tensor& grad_output, const at::Tensor& input,
                                  const Convolution& what, at::Tensor& grad_weight);

}  // namespace opweld::npu::kernels
