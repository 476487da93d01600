// Formats of images and volumes: channels in dimension 1 (NCHW, NCDHW) or at the end (NHWC, NDHWC).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "npu/kernels/tensor.h"

namespace opweld::npu::graph {

inline bool channels_last(const std::string& format) { return format.ends_with('C'); }

// A tensor of that format with its channels in dimension 1. A view.
at::Tensor channels_first(const at::Tensor& x, const std::string& format);

// Sizes of that format as they are where channels come first, and the other way.
std::vector<int64_t> channels_first_sizes(const std::vector<int64_t>& sizes, const std::string& format);
std::vector<int64_t> sizes_in_format(const std::vector<int64_t>& channels_first, const std::string& format);

// A list with an entry for each dimension of the format, cut to the spatial ones; one with as many entries as
// there are spatial dimensions stays. Throws GraphError for another length.
std::vector<int64_t> spatial_entries(const std::vector<int64_t>& all, const std::string& format,
                                     const char* name);

// Runs `kernel` with a contiguous tensor that has its channels first, and stores that in y.
template <class F>
void into_channels_first(at::Tensor& y, const std::string& format, const F& kernel) {
    if (!channels_last(format)) {
        kernel(y);
        return;
    }
    at::Tensor first = channels_first(y, format).contiguous();
    kernel(first);
    kernels::assign(y, first.movedim(1, -1));
}

}  // namespace opweld::npu::graph
