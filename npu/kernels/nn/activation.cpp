#include "npu/kernels/nn/activation.h"

#include <ATen/ops/_log_softmax_backward_data_cpu_dispatch.h>
#include <ATen/ops/_softmax_backward_data_cpu_dispatch.h>
#include <ATen/ops/empty.h>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

template <class F>
void softmax_gradient(const at::Tensor& grad_output, const at::Tensor& output, at::Tensor& out,
                      F&& backward) {
    const at::Tensor grad = widened(grad_output);
    const at::Tensor result = widened(output);
    if (grad.scalar_type() == out.scalar_type() && out.is_contiguous()) {
        backward(grad, result, out);
    } else {
        at::Tensor dense = at::empty(out.sizes(), grad.scalar_type());
        backward(grad, result, dense);
        assign(out, dense);
    }
}

}  // namespace

void log_softmax_backward(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim,
                          at::Tensor& out) {
    softmax_gradient(grad_output, output, out, [&](const at::Tensor& g, const at::Tensor& y, at::Tensor& x) {
        at::cpu::_log_softmax_backward_data_outf(g, y, dim, g.scalar_type(), x);
    });
}

void softmax_backward(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::Tensor& out) {
    softmax_gradient(grad_output, output, out, [&](const at::Tensor& g, const at::Tensor& y, at::Tensor& x) {
        at::cpu::_softmax_backward_data_outf(g, y, dim, g.scalar_type(), x);
    });
}

}  // namespace opweld::npu::kernels
