// Activations that ATen has under no name of its own, or with other arguments.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)), an approximation of GELU by a sigmoid, and its gradient.
at::Tensor fast_gelu(const at::Tensor& x);
at::Tensor fast_gelu_gradient(const at::Tensor& dy, const at::Tensor& x);

// The gradient of x * sigmoid(scale * x).
at::Tensor swish_gradient(const at::Tensor& grad, const at::Tensor& x, double scale);

// The gradient of clamp(alpha * x + beta, 0, 1).
at::Tensor hard_sigmoid_gradient(const at::Tensor& grad, const at::Tensor& x, double alpha, double beta);

// A weight for each channel (dimension 1) of x, in a shape that broadcasts.
at::Tensor weight_of_channels(const at::Tensor& weight, const at::Tensor& x);
Results prelu_gradient(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight);

// silu(a) * b for the halves a, b of x along dim, and its gradient.
at::Tensor swiglu(const at::Tensor& x, int64_t dim);
at::Tensor swiglu_gradient(const at::Tensor& dy, const at::Tensor& x, int64_t dim);

// The only axis of a list. Throws GraphError where there are others.
int64_t one_axis(at::IntArrayRef axes);
at::Tensor softmax_over(const at::Tensor& x, at::IntArrayRef axes, bool half_to_float);
void softmax_into(at::Tensor& y, const at::Tensor& x, at::IntArrayRef axes, bool half_to_float);

}  // namespace opweld::npu::graph
