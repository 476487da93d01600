#include "npu/kernels/rearranging.h"

#include <ATen/ops/_chunk_cat.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_add_cpu_dispatch.h>
#include <ATen/ops/index_copy_cpu_dispatch.h>
#include <ATen/ops/index_select_cpu_dispatch.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/scatter_cpu_dispatch.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "npu/kernels/index_range.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

at::Tensor checked_repeats(const at::Tensor& repeats) {
    const at::Tensor numbers = repeats.to(at::kLong).contiguous();
    if (numbers.numel() != 0 && numbers.min().item<int64_t>() < 0) {
        throw AclException(361001, fmt::format("argument 'repeats' has the negative value {}",
                                               numbers.min().item<int64_t>()));
    }
    return numbers;
}

// The origin of each of `expected` places. Asked before ATen makes them, since numbers may be absurd.
at::Tensor origins(const at::Tensor& repeats, int64_t expected) {
    const at::Tensor numbers = checked_repeats(repeats);
    int64_t left = expected;
    for (const int64_t number :
         std::span(numbers.const_data_ptr<int64_t>(), static_cast<size_t>(numbers.numel()))) {
        left = number > left ? -1 : left - number;
        if (left < 0) {
            break;
        }
    }
    if (left != 0) {
        throw AclException(361001,
                           fmt::format("argument 'repeats' adds up to {} than the {} places of the result",
                                       left < 0 ? "more" : "less", expected));
    }
    return at::repeat_interleave(numbers);
}

int64_t clamp_bound(int64_t value, int64_t size, int64_t low, int64_t high) {
    return std::clamp(value < 0 ? value + size : value, low, high);
}

// The places begin, begin + stride, ... before `end` along a dimension.
at::Tensor every(const at::Tensor& self, int64_t dim, int64_t begin, int64_t end, int64_t stride) {
    if (stride > 0) {
        return self.slice(dim, begin, std::max(begin, end), stride);
    }
    return at::cpu::index_select(self, dim, at::arange(begin, std::min(begin, end), stride, at::kLong));
}

}  // namespace

void assign_exact(at::Tensor& out, const at::Tensor& result, const char* argument) {
    if (out.sizes() != result.sizes()) {
        throw AclException(
            361001, fmt::format("by argument '{}' the result has {} elements, but 'out' has {}", argument,
                                result.numel(), out.numel()));
    }
    assign(out, result);
}

void repeat_interleave(const at::Tensor& self, const at::Tensor& repeats, std::optional<int64_t> dim,
                       at::Tensor& out) {
    const at::Tensor input = dim.has_value() ? self : self.reshape({-1});
    const int64_t axis = dim.value_or(0);
    at::Tensor numbers = repeats.reshape({-1});
    if (numbers.numel() == 1) {
        numbers = numbers.expand({size_along(input, axis)});
    }
    assign_exact(out, at::cpu::index_select(input, axis, origins(numbers, size_along(out, axis))), "repeats");
}

void repeat_interleave(const at::Tensor& self, int64_t repeats, std::optional<int64_t> dim, at::Tensor& out) {
    const int64_t size = dim.has_value() ? size_along(self, *dim) : self.numel();
    const int64_t places = size_along(out, dim.value_or(0));
    if (size == 0 ? places != 0 : places % size != 0 || places / size != repeats) {
        throw AclException(361001, fmt::format("argument 'repeats' is {}: {} places don't become {}", repeats,
                                               size, places));
    }
    assign_exact(out, at::repeat_interleave(self, repeats, dim), "repeats");
}

void repeat_interleave_places(const at::Tensor& repeats, at::Tensor& out) {
    assign_exact(out, origins(repeats, out.numel()), "repeats");
}

void repeat_interleave_backward(const at::Tensor& grad, const at::Tensor& repeats, int64_t axis,
                                at::Tensor& out) {
    at::Tensor numbers = repeats.reshape({-1});
    if (numbers.numel() == 1) {
        numbers = numbers.expand({out.size(axis)});
    }
    const at::Tensor places = origins(numbers, grad.size(axis));
    out.zero_();
    at::cpu::index_add_(out, axis, places, grad);
}

void chunk_cat(const std::vector<at::Tensor>& tensors, int64_t dim, int64_t num_chunks, at::Tensor& out) {
    const bool flat = std::any_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.dim() == 0; });
    if (tensors.empty() || flat || dim < 0 || dim >= out.dim() || out.size(dim) != num_chunks) {
        throw AclException(
            361001,
            fmt::format("arguments 'tensors', 'dim' {} and 'numChunks' {} must make dimension {} of 'out' "
                        "have {} places, and no tensor may be without dimensions",
                        dim, num_chunks, dim, num_chunks));
    }
    assign_exact(out, at::_chunk_cat(tensors, dim, num_chunks), "numChunks");
}

void one_hot(const at::Tensor& self, int64_t depth, const at::Tensor& on, const at::Tensor& off, int64_t axis,
             at::Tensor& out) {
    const at::Tensor places = checked_index("self", self, depth);
    const int64_t along = axis < 0 ? axis + out.dim() : axis;
    out.copy_(off.reshape({}).expand(out.sizes()));
    if (places.numel() != 0) {
        at::cpu::scatter_(out, along, places.unsqueeze(along), on.reshape({}).item());
    }
}

void split_with_sizes(const at::Tensor& self, c10::ArrayRef<int64_t> sizes, int64_t dim,
                      std::vector<at::Tensor>& out) {
    int64_t start = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
        assign(out[i], self.narrow(dim, start, sizes[i]));
        start += sizes[i];
    }
}

void strided_slice(const at::Tensor& self, c10::ArrayRef<int64_t> begin, c10::ArrayRef<int64_t> end,
                   c10::ArrayRef<int64_t> strides, const SliceMasks& masks, at::Tensor& out) {
    const auto has = [](int64_t mask, size_t i) { return ((mask >> i) & 1) != 0; };
    int64_t named = 0;
    for (size_t i = 0; i < begin.size(); ++i) {
        named += has(masks.ellipsis, i) || has(masks.new_axis, i) ? 0 : 1;
    }
    at::Tensor result = self;
    int64_t dim = 0;
    for (size_t i = 0; i < begin.size(); ++i) {
        if (has(masks.ellipsis, i)) {
            dim += std::max<int64_t>(0, self.dim() - named);
            continue;
        }
        if (has(masks.new_axis, i)) {
            result = result.unsqueeze(dim++);
            continue;
        }
        const int64_t size = result.size(dim);
        if (has(masks.shrink_axis, i)) {
            const int64_t place = begin[i] < 0 ? begin[i] + size : begin[i];
            if (place < 0 || place >= size) {
                throw AclException(361001, fmt::format("argument 'begin' has the value {}, which is outside "
                                                       "[{}, {})",
                                                       begin[i], -size, size));
            }
            result = result.select(dim, place);
            continue;
        }
        const bool forward = strides[i] > 0;
        const int64_t low = forward ? 0 : -1;
        const int64_t high = forward ? size : size - 1;
        const int64_t from =
            has(masks.begin, i) ? (forward ? 0 : size - 1) : clamp_bound(begin[i], size, low, high);
        const int64_t to = has(masks.end, i) ? (forward ? size : -1) : clamp_bound(end[i], size, low, high);
        result = every(result, dim++, from, to, strides[i]);
    }
    assign_exact(out, result, "begin");
}

void coalesce(const at::Tensor& places, const at::Tensor& indices, const at::Tensor& values,
              at::Tensor& new_indices, at::Tensor& new_values) {
    const at::Tensor targets = checked_index("uniqueIndices", places, new_values.size(0));
    new_values.zero_();
    at::cpu::index_add_(new_values, 0, targets, values);
    at::cpu::index_copy_(new_indices, 0, targets, indices.to(new_indices.scalar_type()));
}

}  // namespace opweld::npu::kernels
