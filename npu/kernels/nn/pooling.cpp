#include "npu/kernels/nn/pooling.h"

#include <ATen/ops/avg_pool2d_backward_cpu_dispatch.h>
#include <ATen/ops/avg_pool2d_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool2d_with_indices_backward_cpu_dispatch.h>
#include <ATen/ops/max_pool2d_with_indices_cpu_dispatch.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>

#include "npu/kernels/parallel.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

int64_t first(at::IntArrayRef numbers) { return numbers[0]; }
int64_t second(at::IntArrayRef numbers) { return numbers.size() == 1 ? numbers[0] : numbers[1]; }

// Translates between places in a plane and numbers of a window's elements.
class Places {
  public:
    Places(const at::Tensor& input, const at::Tensor& output, const Window& w)
        : kernel_width_(second(w.kernel)),
          stride_height_(first(w.stride.empty() ? w.kernel : w.stride)),
          stride_width_(second(w.stride.empty() ? w.kernel : w.stride)),
          padding_height_(first(w.padding)),
          padding_width_(second(w.padding)),
          dilation_height_(first(w.dilation)),
          dilation_width_(second(w.dilation)),
          width_(input.size(-1)),
          out_width_(output.size(-1)) {
        const int64_t elements = first(w.kernel) * kernel_width_;
        if (elements > 65536) {
            throw AclException(161002, "argument 'kernelSize' has " + std::to_string(elements) +
                                           " elements, expected at most 65536");
        }
    }

    uint16_t to_window(int64_t output, int64_t place) const noexcept {
        const int64_t h = place / width_ - (output / out_width_ * stride_height_ - padding_height_);
        const int64_t w = place % width_ - (output % out_width_ * stride_width_ - padding_width_);
        return static_cast<uint16_t>(h / dilation_height_ * kernel_width_ + w / dilation_width_);
    }

    int64_t to_plane(int64_t output, uint16_t window) const noexcept {
        const int64_t h = output / out_width_ * stride_height_ - padding_height_ +
                          window / kernel_width_ * dilation_height_;
        const int64_t w =
            output % out_width_ * stride_width_ - padding_width_ + window % kernel_width_ * dilation_width_;
        return h * width_ + w;
    }

  private:
    int64_t kernel_width_;
    int64_t stride_height_;
    int64_t stride_width_;
    int64_t padding_height_;
    int64_t padding_width_;
    int64_t dilation_height_;
    int64_t dilation_width_;
    int64_t width_;
    int64_t out_width_;
};

// Calls `f(plane index, first byte of the plane's mask)` for every plane, in parallel.
template <class F>
void for_planes(const at::Tensor& output, const at::Tensor& mask, int64_t area, const F& f) {
    if (output.numel() == 0) {
        return;
    }
    const int64_t planes = output.numel() / area;
    const int64_t bytes = mask.numel() / planes;
    if (!mask.is_contiguous() || bytes < area * static_cast<int64_t>(sizeof(uint16_t))) {
        throw AclException(161002, "argument 'indices' holds " + std::to_string(mask.numel()) +
                                       " bytes, expected contiguous memory of at least 2 for each of the " +
                                       std::to_string(output.numel()) + " elements of the output");
    }
    auto* const base = static_cast<char*>(mask.data_ptr());
    parallel_for(0, planes, std::max<int64_t>(1, 32768 / std::max<int64_t>(area, 1)),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t plane = begin; plane < end; ++plane) {
                         f(plane, base + plane * bytes);
                     }
                 });
}

}  // namespace

void max_pool2d_with_indices(const at::Tensor& input, const Window& w, at::Tensor& output,
                             at::Tensor& indices) {
    if (output.numel() == 0) {
        return;
    }
    const auto results =
        at::cpu::max_pool2d_with_indices(input, w.kernel, w.stride, w.padding, w.dilation, w.ceil_mode);
    assign(output, std::get<0>(results));
    assign(indices, std::get<1>(results));
}

void max_pool2d_with_indices_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                      const at::Tensor& indices, const Window& w, at::Tensor& grad_input) {
    if (grad_output.numel() == 0) {
        grad_input.zero_();
        return;
    }
    assign(grad_input, at::cpu::max_pool2d_with_indices_backward(widened(grad_output), widened(input),
                                                                 w.kernel, w.stride, w.padding, w.dilation,
                                                                 w.ceil_mode, places(indices, input, 2)));
}

void max_pool2d_with_mask(const at::Tensor& input, const Window& w, at::Tensor& output, at::Tensor& mask) {
    at::Tensor indices = at::empty(output.sizes(), output.options().dtype(at::kLong));
    max_pool2d_with_indices(input, w, output, indices);
    const Places places(input, output, w);
    const auto* const from = indices.const_data_ptr<int64_t>();
    const int64_t area = output.size(-1) * output.size(-2);
    for_planes(output, mask, area, [&](int64_t plane, char* bytes) {
        for (int64_t i = 0; i < area; ++i) {
            const uint16_t window = places.to_window(i, from[plane * area + i]);
            std::memcpy(bytes + i * static_cast<int64_t>(sizeof window), &window, sizeof window);
        }
    });
}

void max_pool2d_with_mask_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                   const at::Tensor& mask, const Window& w, at::Tensor& grad_input) {
    at::Tensor indices = at::empty(grad_output.sizes(), grad_output.options().dtype(at::kLong));
    const Places places(input, grad_output, w);
    auto* const to = indices.mutable_data_ptr<int64_t>();
    const int64_t area = grad_output.size(-1) * grad_output.size(-2);
    for_planes(grad_output, mask, area, [&](int64_t plane, const char* bytes) {
        for (int64_t i = 0; i < area; ++i) {
            uint16_t window = 0;
            std::memcpy(&window, bytes + i * static_cast<int64_t>(sizeof window), sizeof window);
            to[plane * area + i] = places.to_plane(i, window);
        }
    });
    max_pool2d_with_indices_backward(grad_output, input, indices, w, grad_input);
}

void avg_pool2d(const at::Tensor& input, const Window& w, bool count_include_pad, int64_t divisor,
                at::Tensor& output) {
    assign(output,
           at::cpu::avg_pool2d(widened(input), w.kernel, w.stride, w.padding, w.ceil_mode, count_include_pad,
                               divisor == 0 ? std::nullopt : std::optional(divisor)));
}

void avg_pool2d_backward(const at::Tensor& grad_output, const at::Tensor& input, const Window& w,
                         bool count_include_pad, int64_t divisor, at::Tensor& grad_input) {
    assign(grad_input, at::cpu::avg_pool2d_backward(widened(grad_output), widened(input), w.kernel, w.stride,
                                                    w.padding, w.ceil_mode, count_include_pad,
                                                    divisor == 0 ? std::nullopt : std::optional(divisor)));
}

}  // namespace opweld::npu::kernels
