// Two- and three-dimensional pooling. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <tuple>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {

// The window of a pooling; each array has a number for each dimension, or one for all. An empty stride is the
// kernel size, an empty dilation is 1.
struct Window {
    at::IntArrayRef kernel;
    at::IntArrayRef stride;
    at::IntArrayRef padding;
    at::IntArrayRef dilation;
    bool ceil_mode;
};

// `indices` (any integer dtype) gets each maximum's place in its input plane, as PyTorch counts it.
void max_pool2d_with_indices(const at::Tensor& input, const Window& window, at::Tensor& output,
                             at::Tensor& indices);
void max_pool2d_with_indices_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                      const at::Tensor& indices, const Window& window,
                                      at::Tensor& grad_input);

// The variant whose `mask` only its own backward reads. torch_npu allocates int8 with the kernel's number of
// elements as rows and 32 bytes for every 16 output elements (and 32 more) as columns. Here each plane of it
// begins with one uint16 for each output element: the number of the window's element that was the maximum.
void max_pool2d_with_mask(const at::Tensor& input, const Window& window, at::Tensor& output,
                          at::Tensor& mask);
void max_pool2d_with_mask_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                   const at::Tensor& mask, const Window& window, at::Tensor& grad_input);

// A divisor of 0 stands for the number of elements in a window.
void avg_pool2d(const at::Tensor& input, const Window& window, bool count_include_pad, int64_t divisor,
                at::Tensor& output);
void avg_pool2d_backward(const at::Tensor& grad_output, const at::Tensor& input, const Window& window,
                         bool count_include_pad, int64_t divisor, at::Tensor& grad_input);

void avg_pool3d(const at::Tensor& input, const Window& window, bool count_include_pad, int64_t divisor,
                at::Tensor& output);
void avg_pool3d_backward(const at::Tensor& grad_output, const at::Tensor& input, const Window& window,
                         bool count_include_pad, int64_t divisor, at::Tensor& grad_input);
void max_pool3d_with_indices(const at::Tensor& input, const Window& window, at::Tensor& output,
                             at::Tensor& indices);
void max_pool3d_with_indices_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                      const at::Tensor& indices, const Window& window,
                                      at::Tensor& grad_input);

// The places of maxima as contiguous int64 numbers, which ATen expects. Throws where one is outside the plane
// of the input, of `dims` dimensions, that it points into.
at::Tensor places(const at::Tensor& indices, const at::Tensor& input, int64_t dims);

// Stores both results.
inline void assign_pair(at::Tensor& output, at::Tensor& indices,
                        const std::tuple<at::Tensor, at::Tensor>& results) {
    assign(output, std::get<0>(results));
    assign(indices, std::get<1>(results));
}

}  // namespace opweld::npu::kernels
