// Activations that are more than one call of ATen. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

namespace opweld::npu::kernels {

// A buffer without elements stays as it is.
void log_sigmoid(const at::Tensor& self, at::Tensor& out, at::Tensor& buffer);

// self * sigmoid(1.702 * self)
void fast_gelu(const at::Tensor& self, at::Tensor& out);
void fast_gelu_backward(const at::Tensor& grad_output, const at::Tensor& self, at::Tensor& grad_input);

}  // namespace opweld::npu::kernels
