// Helpers of the activations' rows. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opweld::npu::kernels {

// Gradients of (log_)softmax, which need its result. 16-bit numbers are computed in float32.
void log_softmax_backward(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim,
                          at::Tensor& out);
void softmax_backward(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::Tensor& out);

}  // namespace opweld::npu::kernels
