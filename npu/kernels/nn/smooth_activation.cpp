#include "npu/kernels/nn/smooth_activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_sigmoid_forward_cpu_dispatch.h>
#include <ATen/ops/sigmoid.h>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

constexpr double kSteepness = 1.702;

}  // namespace

void log_sigmoid(const at::Tensor& self, at::Tensor& out, at::Tensor& buffer) {
    const auto [result, intermediate] = at::cpu::log_sigmoid_forward(self);
    assign(out, result);
    if (buffer.numel() != 0) {
        assign(buffer, intermediate);
    }
}

void fast_gelu(const at::Tensor& self, at::Tensor& out) {
    const at::Tensor x = widened(self);
    assign(out, x * at::sigmoid(x * kSteepness));
}

void fast_gelu_backward(const at::Tensor& grad_output, const at::Tensor& self, at::Tensor& grad_input) {
    const at::Tensor x = widened(self);
    const at::Tensor s = at::sigmoid(x * kSteepness);
    assign(grad_input, widened(grad_output) * (s + x * s * (1 - s) * kSteepness));
}

}  // namespace opweld::npu::kernels
