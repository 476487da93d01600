// Activations of straight pieces that ATen does not give as they are wanted. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/kernels/philox.h"

namespace opweld::npu::kernels {

// Of integers the result without its fractional part: PyTorch's CPU takes none.
void hardsigmoid(const at::Tensor& self, at::Tensor& out);

// The weight, of any shape, has one slope, or one for each channel (dimension 1). `grad_weight` gets the
// sums.
void prelu(const at::Tensor& self, const at::Tensor& weight, at::Tensor& out);
void prelu_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& weight,
                    at::Tensor& grad_input, at::Tensor& grad_weight);

// From where random slopes are taken.
struct SlopeRange {
    double lower;
    double upper;
};

// In training, negative elements are multiplied by random slopes and `noise` gets each element's slope (1 for
// others). Otherwise they are multiplied by the middle of the range, and `noise` stays as it is.
void rrelu(const at::Tensor& self, at::Tensor& noise, SlopeRange range, bool training, RandomState state,
           at::Tensor& out);

}  // namespace opweld::npu::kernels
