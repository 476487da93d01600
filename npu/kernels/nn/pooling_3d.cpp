#include <ATen/ops/avg_pool3d_backward_cpu_dispatch.h>
#include <ATen/ops/avg_pool3d_cpu_dispatch.h>
#include <ATen/ops/max_pool3d_with_indices_backward_cpu_dispatch.h>
#include <ATen/ops/max_pool3d_with_indices_cpu_dispatch.h>

#include <algorithm>
#include <string>

#include "npu/kernels/nn/pooling.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {
namespace {

std::optional<int64_t> override_of(int64_t divisor) {
    return divisor == 0 ? std::nullopt : std::optional(divisor);
}

}  // namespace

at::Tensor places(const at::Tensor& indices, const at::Tensor& input, int64_t dims) {
    at::Tensor result = indices.to(at::kLong).contiguous();
    int64_t plane = 1;
    for (int64_t i = 1; i <= dims; ++i) {
        plane *= input.size(-i);
    }
    const auto* const first = result.const_data_ptr<int64_t>();
    const auto* const wrong = std::find_if(first, first + result.numel(),
                                           [&](int64_t place) { return place < 0 || place >= plane; });
    if (wrong != first + result.numel()) {
        throw AclException(161002, "argument 'indices' has " + std::to_string(*wrong) + ", expected 0 to " +
                                       std::to_string(plane - 1) + ", the places of the input's planes");
    }
    return result;
}

void avg_pool3d(const at::Tensor& input, const Window& w, bool count_include_pad, int64_t divisor,
                at::Tensor& output) {
    if (output.numel() != 0) {
        assign(output, at::cpu::avg_pool3d(widened(input), w.kernel, w.stride, w.padding, w.ceil_mode,
                                           count_include_pad, override_of(divisor)));
    }
}

void avg_pool3d_backward(const at::Tensor& grad_output, const at::Tensor& input, const Window& w,
                         bool count_include_pad, int64_t divisor, at::Tensor& grad_input) {
    if (grad_output.numel() == 0) {
        grad_input.zero_();
        return;
    }
    assign(grad_input,
           at::cpu::avg_pool3d_backward(widened(grad_output), widened(input), w.kernel, w.stride, w.padding,
                                        w.ceil_mode, count_include_pad, override_of(divisor)));
}

void max_pool3d_with_indices(const at::Tensor& input, const Window& w, at::Tensor& output,
                             at::Tensor& indices) {
    if (output.numel() != 0) {
        assign_pair(output, indices,
                    at::cpu::max_pool3d_with_indices(widened(input), w.kernel, w.stride, w.padding,
                                                     w.dilation, w.ceil_mode));
    }
}

void max_pool3d_with_indices_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                      const at::Tensor& indices, const Window& w, at::Tensor& grad_input) {
    if (grad_output.numel() == 0) {
        grad_input.zero_();
        return;
    }
    assign(grad_input, at::cpu::max_pool3d_with_indices_backward(widened(grad_output), widened(input),
                                                                 w.kernel, w.stride, w.padding, w.dilation,
                                                                 w.ceil_mode, places(indices, input, 3)));
}

}  // namespace opweld::npu::kernels
