#include "npu/ge/operators/shapes.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/permute.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {
namespace {

std::vector<int64_t> wrapped_sorted(at::IntArrayRef axes, int64_t dimensions) {
    std::vector<int64_t> all;
    for (const int64_t axis : axes) {
        all.push_back(wrapped(axis, dimensions));
    }
    std::ranges::sort(all);
    return all;
}

bool has_bit(int64_t mask, size_t bit) { return bit < 64 && ((mask >> bit) & 1) != 0; }

// Elements begin, begin + stride ... before end; ATen's slices have no negative strides, so those are copied.
at::Tensor slice_dimension(const at::Tensor& x, int64_t dim, int64_t begin, int64_t end, int64_t stride) {
    const int64_t size = x.size(dim);
    if (stride > 0) {
        return x.slice(dim, std::clamp(begin < 0 ? begin + size : begin, int64_t{0}, size),
                       std::clamp(end < 0 ? end + size : end, int64_t{0}, size), stride);
    }
    if (stride == 0) {
        throw GraphError("a slice with the stride 0");
    }
    const int64_t first = std::clamp(begin < 0 ? begin + size : begin, int64_t{-1}, size - 1);
    const int64_t last = std::clamp(end < 0 ? end + size : end, int64_t{-1}, size - 1);
    const int64_t count = first > last ? (first - last - stride - 1) / -stride : 0;
    if (count == 0) {
        return x.narrow(dim, 0, 0);
    }
    const int64_t least = first + (count - 1) * stride;
    return flipped(x.slice(dim, least, first + 1, -stride), {dim});
}

}  // namespace

at::Tensor permuted(const at::Tensor& x, at::IntArrayRef perm) {
    for (const int64_t dim : perm) {
        if (dim >= x.dim() || dim < -x.dim()) {
            throw GraphError(
                fmt::format("perm {} has wrong value {}: it should be less than input shape size [{}]",
                            shape_text(perm.vec()), dim, x.dim()));
        }
    }
    if (static_cast<int64_t>(perm.size()) != x.dim()) {
        throw GraphError(fmt::format("perm {} has {} numbers, but x, {}, has {} dimensions",
                                     shape_text(perm.vec()), perm.size(), shape_text(x.sizes().vec()),
                                     x.dim()));
    }
    return at::permute(x, perm);
}

int64_t wrapped(int64_t axis, int64_t dimensions) {
    if (axis < -dimensions || axis >= dimensions) {
        throw GraphError(fmt::format("axis {} of a tensor with {} dimensions", axis, dimensions));
    }
    return axis < 0 ? axis + dimensions : axis;
}

std::vector<int64_t> reshaped(const at::Tensor& x, at::IntArrayRef shape) {
    std::vector<int64_t> sizes = shape.vec();
    const auto unknown = std::ranges::find(sizes, -1);
    if (unknown != sizes.end()) {
        int64_t others = 1;
        for (const int64_t size : sizes) {
            others *= size == -1 ? 1 : size;
        }
        *unknown = others == 0 ? 0 : x.numel() / others;
    }
    return sizes;
}

at::Tensor unsqueezed(const at::Tensor& x, at::IntArrayRef axes) {
    at::Tensor result = x.alias();
    for (const int64_t axis : wrapped_sorted(axes, x.dim() + static_cast<int64_t>(axes.size()))) {
        result = result.unsqueeze(axis);
    }
    return result;
}

at::Tensor squeezed(const at::Tensor& x, at::IntArrayRef axes) {
    if (axes.empty()) {
        return x.squeeze();
    }
    at::Tensor result = x.alias();
    const auto all = wrapped_sorted(axes, std::max<int64_t>(x.dim(), 1));
    for (auto axis = all.rbegin(); axis != all.rend(); ++axis) {
        result = result.squeeze(*axis);
    }
    return result;
}

at::Tensor expanded(const at::Tensor& x, at::IntArrayRef shape) {
    std::vector<int64_t> sizes = shape.vec();
    const auto missing = static_cast<int64_t>(sizes.size()) - x.dim();
    for (int64_t i = std::max<int64_t>(missing, 0); i < static_cast<int64_t>(sizes.size()); ++i) {
        int64_t& size = sizes[static_cast<size_t>(i)];
        size = size == 1 ? x.size(i - missing) : size;
    }
    return x.expand(sizes, true);
}

std::vector<int64_t> tiled_shape(const at::Tensor& x, at::IntArrayRef multiples) {
    std::vector<int64_t> sizes(multiples.size(), 1);
    if (static_cast<int64_t>(sizes.size()) < x.dim()) {
        throw GraphError(
            fmt::format("{} multiples for a tensor with {} dimensions", multiples.size(), x.dim()));
    }
    std::ranges::copy_backward(x.sizes(), sizes.end());
    for (size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] *= multiples[i];
    }
    return sizes;
}

at::Tensor shape_of(const at::Tensor& x, at::ScalarType dtype) {
    at::Tensor sizes = at::empty({x.dim()}, at::kLong);
    std::ranges::copy(x.sizes(), sizes.mutable_data_ptr<int64_t>());
    return sizes.to(dtype);
}

std::vector<int64_t> split_sizes(const at::Tensor& x, std::vector<int64_t> sizes, int64_t dim) {
    const auto rest = std::ranges::find(sizes, -1);
    if (rest != sizes.end()) {
        *rest = 0;
        *rest = x.size(dim) - std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
    }
    return sizes;
}

std::vector<int64_t> all_axes(const std::vector<int64_t>& like) {
    std::vector<int64_t> axes(like.size());
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

std::vector<int64_t> ones(const std::vector<int64_t>& like) { return std::vector<int64_t>(like.size(), 1); }

at::Tensor strided_slice(const at::Tensor& x, const StridedSlice& slice) {
    if (slice.end.size() != slice.begin.size() || slice.axes.size() != slice.begin.size() ||
        slice.strides.size() != slice.begin.size()) {
        throw GraphError(fmt::format("a slice with {} begins, {} ends, {} axes and {} strides",
                                     slice.begin.size(), slice.end.size(), slice.axes.size(),
                                     slice.strides.size()));
    }
    at::Tensor result = x.alias();
    int64_t moved = 0;  // dimensions that the entries so far have added or taken away
    std::vector<size_t> order(slice.begin.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](size_t i) { return slice.axes[i]; });
    int64_t skipped = 0;
    for (const size_t i : order) {
        int64_t dim =
            wrapped(slice.axes[i], std::max<int64_t>(x.dim(), 1) + static_cast<int64_t>(order.size())) +
            moved;
        if (slice.axes[i] < 0) {
            dim = wrapped(slice.axes[i], x.dim()) + moved;
        }
        dim += skipped;
        if (has_bit(slice.ellipsis_mask, i)) {
            skipped += x.dim() - static_cast<int64_t>(order.size());
        } else if (has_bit(slice.new_axis_mask, i)) {
            result = result.unsqueeze(dim);
        } else if (has_bit(slice.shrink_mask, i)) {
            result = result.select(dim, slice.begin[i]);
            --moved;
        } else {
            const int64_t size = result.size(dim);
            const bool forward = slice.strides[i] > 0;
            const int64_t first = forward ? 0 : size;
            const int64_t past = forward ? size : -size - 1;
            result = slice_dimension(result, dim, has_bit(slice.begin_mask, i) ? first : slice.begin[i],
                                     has_bit(slice.end_mask, i) ? past : slice.end[i], slice.strides[i]);
        }
    }
    return result;
}

at::Tensor concatenated(const std::vector<at::Tensor>& tensors, int64_t dim) {
    std::vector<at::Tensor> all;
    for (const at::Tensor& tensor : tensors) {
        all.push_back(tensor.dim() == 0 ? tensor.unsqueeze(0) : tensor);
    }
    return at::cat(all, dim);
}

at::Tensor flipped(const at::Tensor& x, at::IntArrayRef axes) {
    return x.is_meta() ? at::empty_like(x, at::MemoryFormat::Contiguous) : at::flip(x, axes).contiguous();
}

at::Tensor sliced(const at::Tensor& x, at::IntArrayRef offsets, at::IntArrayRef sizes) {
    at::Tensor result = x.alias();
    for (size_t i = 0; i < offsets.size(); ++i) {
        const auto dim = static_cast<int64_t>(i);
        const int64_t length = sizes[i] == -1 ? x.size(dim) - offsets[i] : sizes[i];
        result = result.narrow(dim, offsets[i], length);
    }
    return result;
}

at::Tensor bitcast(const at::Tensor& x, at::ScalarType dtype) {
    const auto from = static_cast<int64_t>(x.itemsize());
    const auto to = static_cast<int64_t>(c10::elementSize(dtype));
    if (from == to) {
        return x.view(dtype);
    }
    const at::Tensor dense = x.contiguous();
    if (from > to) {
        std::vector<int64_t> sizes = dense.sizes().vec();
        sizes.push_back(from / to);
        return dense.unsqueeze(-1).view(dtype).view(sizes);
    }
    if (dense.dim() == 0 || dense.size(-1) != to / from) {
        throw GraphError(
            fmt::format("a cast of {} bytes an element to {} needs {} as last size, got shape {}", from, to,
                        to / from, shape_text(dense.sizes().vec())));
    }
    return dense.view(dtype).squeeze(-1);
}

at::Tensor ranged(const at::Scalar& start, const at::Scalar& limit, const at::Scalar& delta,
                  at::ScalarType dtype) {
    return at::arange(start, limit, delta, at::TensorOptions().dtype(dtype));
}

}  // namespace opweld::npu::graph
