// Poolings, adaptive ones too, of images and volumes, and their gradients. `format` is that of the tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// A window over the spatial dimensions; every list has an entry for each of them.
struct PoolingWindow {
    std::vector<int64_t> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> padding;  // on both sides
    std::vector<int64_t> dilation;
    bool ceil_mode;
};

// Attributes that have an entry for each dimension of `layout`, or for the spatial ones only.
PoolingWindow pooling_window(const std::string& layout, const std::vector<int64_t>& kernel,
                             const std::vector<int64_t>& strides, const std::vector<int64_t>& padding,
                             const std::vector<int64_t>& dilation, bool ceil_mode);

// The same where `pads` has two entries for each spatial dimension, and a window is not dilated.
PoolingWindow padded_window(const std::string& layout, const std::vector<int64_t>& kernel,
                            const std::vector<int64_t>& strides, const std::vector<int64_t>& pads,
                            bool ceil_mode);

// A padding mode in a word: CALCULATED (by the pads) or VALID (none). `global`: one window for all.
struct PaddingMode {
    const std::string& name;
    bool global;
};
PoolingWindow padded_window(PaddingMode mode, const std::vector<int64_t>& input_size,
                            const std::string& layout, const std::vector<int64_t>& kernel,
                            const std::vector<int64_t>& strides, const std::vector<int64_t>& pads,
                            bool ceil_mode);

// The form of what is pooled from x.
at::Tensor pooled_form(const at::Tensor& x, const PoolingWindow& window, const std::string& format);
Results max_pooled_form(const at::Tensor& x, const PoolingWindow& window, const std::string& format,
                        at::ScalarType indices);

// The maxima, and their places in a plane of x.
void max_pool(const at::Tensor& x, const PoolingWindow& window, const std::string& format, at::Tensor& y,
              at::Tensor& indices);
void max_pool_gradient(const at::Tensor& x, const at::Tensor& grad, const at::Tensor& indices,
                       const PoolingWindow& window, const std::string& format, at::Tensor& dx);

// A divisor of 0 stands for the number of elements in a window.
struct Average {
    bool count_padding;
    int64_t divisor;
};
void average_pool(const at::Tensor& x, const PoolingWindow& window, const std::string& format,
                  Average average, at::Tensor& y);
void average_pool_gradient(const at::Tensor& grad, const PoolingWindow& window, const std::string& format,
                           Average average, at::Tensor& dx);

// x with these sizes at its end, without its values.
at::Tensor with_last_sizes(const at::Tensor& x, const std::vector<int64_t>& sizes);

}  // namespace opweld::npu::graph
