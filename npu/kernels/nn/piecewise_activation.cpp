#include "npu/kernels/nn/piecewise_activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_prelu_kernel_backward_cpu_dispatch.h>
#include <ATen/ops/_prelu_kernel_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/hardsigmoid_cpu_dispatch.h>
#include <ATen/ops/leaky_relu_cpu_dispatch.h>
#include <ATen/ops/mul_cpu_dispatch.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>

#include <vector>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/random.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// The weight in the dtype of the input and in a shape that broadcasts to it.
at::Tensor slopes_for(const at::Tensor& self, const at::Tensor& weight) {
    std::vector<int64_t> shape(static_cast<size_t>(self.dim()), 1);
    if (weight.numel() != 1) {
        shape.at(1) = weight.numel();
    }
    return weight.reshape(shape).to(self.scalar_type());
}

}  // namespace

void hardsigmoid(const at::Tensor& self, at::Tensor& out) {
    if (at::isFloatingType(self.scalar_type())) {
        at::cpu::hardsigmoid_outf(self, out);
    } else {
        assign(out, at::cpu::hardsigmoid(self.to(at::kFloat)));
    }
}

void prelu(const at::Tensor& self, const at::Tensor& weight, at::Tensor& out) {
    assign(out, at::cpu::_prelu_kernel(self, slopes_for(self, weight)));
}

void prelu_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& weight,
                    at::Tensor& grad_input, at::Tensor& grad_weight) {
    const at::Tensor slopes = slopes_for(self, weight);
    const auto [input, each] =
        at::cpu::_prelu_kernel_backward(grad_output.to(self.scalar_type()), self, slopes);
    assign(grad_input, input);
    assign(grad_weight, widened(each).sum_to_size(slopes.sizes()).reshape(grad_weight.sizes()));
}

void rrelu(const at::Tensor& self, at::Tensor& noise, SlopeRange range, bool training, RandomState state,
           at::Tensor& out) {
    if (!training) {
        at::cpu::leaky_relu_outf(self, (range.lower + range.upper) / 2, out);
        return;
    }
    at::Tensor slopes = at::empty(self.sizes(), self.options());
    fill_uniform(slopes, range.lower, range.upper, state);
    slopes = at::where(self <= 0, slopes, at::ones({}, slopes.options()));
    at::cpu::mul_outf(self, slopes, out);
    assign(noise, slopes.view(noise.sizes()));
}

}  // namespace opweld::npu::kernels
