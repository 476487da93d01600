#include "npu/ge/operators/poolings.h"

#include <ATen/ops/empty_like.h>
#include <fmt/format.h>

#include <algorithm>

#include "npu/ge/model/graph.h"
#include "npu/ge/operators/formats.h"
#include "npu/ge/operators/kernel_call.h"

namespace opweld::npu::graph {
namespace {

int64_t windows(int64_t size, size_t i, const PoolingWindow& w) {
    if (w.kernel[i] < 1 || w.strides[i] < 1 || w.dilation[i] < 1 || w.padding[i] < 0) {
        throw GraphError(
            fmt::format("kernel {}, stride {}, dilation {} and padding {}; padding is at least "
                        "0, the others at least 1",
                        w.kernel[i], w.strides[i], w.dilation[i], w.padding[i]));
    }
    const int64_t extent = w.dilation[i] * (w.kernel[i] - 1) + 1;
    if (2 * w.padding[i] > extent) {
        throw GraphError(fmt::format("padding {} is more than half of the {} elements that a window spans",
                                     w.padding[i], extent));
    }
    const int64_t room = size + 2 * w.padding[i] - extent + (w.ceil_mode ? w.strides[i] - 1 : 0);
    if (room < 0) {
        throw GraphError(fmt::format("a window over {} elements; the padded input has {}", extent,
                                     size + 2 * w.padding[i]));
    }
    int64_t count = room / w.strides[i] + 1;
    if (w.ceil_mode && (count - 1) * w.strides[i] >= size + w.padding[i]) {
        --count;  // it would begin behind the input
    }
    return count;
}

bool is_volume(const PoolingWindow& window) { return window.kernel.size() == 3; }

at::Tensor dense(const at::Tensor& x, const std::string& format) {
    return channels_first(x, format).contiguous();
}

}  // namespace

PoolingWindow pooling_window(const std::string& layout, const std::vector<int64_t>& kernel,
                             const std::vector<int64_t>& strides, const std::vector<int64_t>& padding,
                             const std::vector<int64_t>& dilation, bool ceil_mode) {
    return {.kernel = spatial_entries(kernel, layout, "ksize"),
            .strides = spatial_entries(strides, layout, "strides"),
            .padding = spatial_entries(padding, layout, "pads"),
            .dilation = spatial_entries(dilation, layout, "dilation"),
            .ceil_mode = ceil_mode};
}

PoolingWindow padded_window(const std::string& layout, const std::vector<int64_t>& kernel,
                            const std::vector<int64_t>& strides, const std::vector<int64_t>& pads,
                            bool ceil_mode) {
    const std::vector<int64_t> sizes = spatial_entries(kernel, layout, "ksize");
    if (pads.size() != 2 * sizes.size()) {
        throw GraphError(
            fmt::format("attribute 'pads' has {} entries, expected {}", pads.size(), 2 * sizes.size()));
    }
    std::vector<int64_t> padding;
    for (size_t i = 0; i < pads.size(); i += 2) {
        if (pads[i] != pads[i + 1]) {
            throw GraphError(
                fmt::format("pads {} and {} at the two ends of a dimension; only equal ones "
                            "are supported",
                            pads[i], pads[i + 1]));
        }
        padding.push_back(pads[i]);
    }
    return {.kernel = sizes,
            .strides = spatial_entries(strides, layout, "strides"),
            .padding = std::move(padding),
            .dilation = std::vector<int64_t>(sizes.size(), 1),
            .ceil_mode = ceil_mode};
}

PoolingWindow padded_window(PaddingMode mode, const std::vector<int64_t>& input_size,
                            const std::string& layout, const std::vector<int64_t>& kernel,
                            const std::vector<int64_t>& strides, const std::vector<int64_t>& pads,
                            bool ceil_mode) {
    if (mode.global) {
        const std::vector<int64_t> sizes = spatial_entries(input_size, layout, "input_size");
        return {.kernel = sizes,
                .strides = sizes,
                .padding = std::vector<int64_t>(sizes.size(), 0),
                .dilation = std::vector<int64_t>(sizes.size(), 1),
                .ceil_mode = false};
    }
    if (mode.name == "VALID") {
        return padded_window(layout, kernel, strides, std::vector<int64_t>(pads.size(), 0), false);
    }
    if (mode.name != "CALCULATED") {
        throw GraphError(
            fmt::format("attribute 'padding_mode' is {}; CALCULATED and VALID are supported", mode.name));
    }
    return padded_window(layout, kernel, strides, pads, ceil_mode);
}

at::Tensor with_last_sizes(const at::Tensor& x, const std::vector<int64_t>& sizes) {
    if (x.dim() < std::ssize(sizes)) {
        throw GraphError(
            fmt::format("a tensor of {} dimensions, expected at least {}", x.dim(), sizes.size()));
    }
    std::vector<int64_t> all = x.sizes().vec();
    std::ranges::copy(sizes, all.end() - std::ssize(sizes));
    return x.new_empty(all);
}

at::Tensor pooled_form(const at::Tensor& x, const PoolingWindow& window, const std::string& format) {
    const std::ptrdiff_t dims = std::ssize(window.kernel);
    if (x.dim() != dims + 2 && (x.dim() != dims + 1 || channels_last(format))) {
        throw GraphError(fmt::format("a tensor of {} dimensions, expected {} in the format {}", x.dim(),
                                     dims + 2, format));
    }
    std::vector<int64_t> sizes = channels_first_sizes(x.sizes().vec(), format);
    const size_t first = sizes.size() - window.kernel.size();
    for (size_t i = 0; i < window.kernel.size(); ++i) {
        sizes[first + i] = windows(sizes[first + i], i, window);
    }
    return x.new_empty(sizes_in_format(sizes, format));
}

Results max_pooled_form(const at::Tensor& x, const PoolingWindow& window, const std::string& format,
                        at::ScalarType indices) {
    const at::Tensor y = pooled_form(x, window, format);
    return {y, at::empty_like(y, indices)};
}

void max_pool(const at::Tensor& x, const PoolingWindow& window, const std::string& format, at::Tensor& y,
              at::Tensor& indices) {
    const char* kernel = is_volume(window) ? "MaxPool3dWithArgmax" : "MaxPool2dWithIndices";
    into_channels_first(y, format, [&](at::Tensor& maxima) {
        into_channels_first(indices, format, [&](at::Tensor& places) {
            run_kernel(kernel, dense(x, format), window.kernel, window.strides, window.padding,
                       window.dilation, window.ceil_mode, maxima, places);
        });
    });
}

void max_pool_gradient(const at::Tensor& x, const at::Tensor& grad, const at::Tensor& indices,
                       const PoolingWindow& window, const std::string& format, at::Tensor& dx) {
    const at::Tensor form = pooled_form(x, window, format);
    if (grad.sizes() != form.sizes() || indices.sizes() != form.sizes()) {
        throw GraphError(fmt::format("gradients {} and places {}; what was pooled is {}",
                                     shape_text(grad.sizes().vec()), shape_text(indices.sizes().vec()),
                                     shape_text(form.sizes().vec())));
    }
    const char* kernel = is_volume(window) ? "MaxPool3dWithArgmaxBackward" : "MaxPool2dWithIndicesBackward";
    into_channels_first(dx, format, [&](at::Tensor& result) {
        run_kernel(kernel, dense(grad, format), dense(x, format), dense(indices, format), window.kernel,
                   window.strides, window.padding, window.dilation, window.ceil_mode, result);
    });
}

void average_pool(const at::Tensor& x, const PoolingWindow& window, const std::string& format,
                  Average average, at::Tensor& y) {
    into_channels_first(y, format, [&](at::Tensor& result) {
        if (is_volume(window)) {
            run_kernel("AvgPool3d", dense(x, format), window.kernel, window.strides, window.padding,
                       window.ceil_mode, average.count_padding, average.divisor, result);
        } else {
            run_kernel("AvgPool2d", dense(x, format), window.kernel, window.strides, window.padding,
                       window.ceil_mode, average.count_padding, average.divisor, 0, result);
        }
    });
}

void average_pool_gradient(const at::Tensor& grad, const PoolingWindow& window, const std::string& format,
                           Average average, at::Tensor& dx) {
    const at::Tensor form = pooled_form(dx, window, format);
    if (grad.sizes() != form.sizes()) {
        throw GraphError(fmt::format("gradients {}; what was pooled is {}", shape_text(grad.sizes().vec()),
                                     shape_text(form.sizes().vec())));
    }
    into_channels_first(dx, format, [&](at::Tensor& result) {
        if (is_volume(window)) {
            run_kernel("AvgPool3dBackward", dense(grad, format), result, window.kernel, window.strides,
                       window.padding, window.ceil_mode, average.count_padding, average.divisor, result);
        } else {
            run_kernel("AvgPool2dBackward", dense(grad, format), result, window.kernel, window.strides,
                       window.padding, window.ceil_mode, average.count_padding, average.divisor, 0, result);
        }
    });
}

}  // namespace opweld::npu::graph
