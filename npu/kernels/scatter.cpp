#include "npu/kernels/scatter.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/List.h>
#include <ATen/ops/_index_put_impl_cpu_dispatch.h>
#include <ATen/ops/scatter_add_cpu_dispatch.h>
#include <ATen/ops/scatter_cpu_dispatch.h>
#include <ATen/ops/scatter_reduce_cpu_dispatch.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "npu/kernels/index_range.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// Slices across a dimension that an index names as a whole: slice i of the source, and those behind it, go to
// slice `first` and those behind it.
struct Run {
    int64_t from;
    int64_t first;
    int64_t length;
};

// The runs of an index that says the same for all elements of a slice, as long as they are few for what they
// move; else none. Of the slices that go to one place, in a run of their own, the last is the one that stays.
std::vector<Run> slices_named(const at::Tensor& index, int64_t dim) {
    if (index.dim() == 0) {
        return {};
    }
    const int64_t along = at::maybe_wrap_dim(dim, index.dim());
    at::Tensor line = index;
    for (int64_t d = index.dim(); d-- > 0;) {
        if (d == along) {
            continue;
        }
        if (index.stride(d) != 0 && index.size(d) != 1) {
            return {};
        }
        line = line.select(d, 0);
    }
    const int64_t count = index.size(along);
    if (count > 1 && line.stride(0) == 0) {
        return {{count - 1, line[0].item<int64_t>(), 1}};
    }
    constexpr int64_t kWorthACopy = 1024;  // elements
    const int64_t most = std::max<int64_t>(index.numel() / kWorthACopy, 1);
    const at::Tensor dense = line.contiguous();
    const int64_t* places = dense.const_data_ptr<int64_t>();
    std::vector<Run> runs;
    for (int64_t i = 0; i < count; ++i) {
        if (!runs.empty() && places[i] == runs.back().first + runs.back().length) {
            ++runs.back().length;
        } else if (static_cast<int64_t>(runs.size()) == most) {
            return {};
        } else {
            runs.push_back({i, places[i], 1});
        }
    }
    return runs;
}

// The part of a tensor that an index of that shape reaches, but for `dim`.
at::Tensor reached(const at::Tensor& tensor, const at::Tensor& index, int64_t dim) {
    at::Tensor part = tensor;
    for (int64_t d = 0; d < index.dim(); ++d) {
        if (d != dim) {
            part = part.narrow(d, 0, index.size(d));
        }
    }
    return part;
}

// Copies slices as a whole where the index names them so; false: nothing was done.
bool copy_slices(at::Tensor& out, int64_t dim, const at::Tensor& index, const at::Tensor& source) {
    const std::vector<Run> runs = slices_named(index, dim);
    if (runs.empty()) {
        return false;
    }
    at::assert_no_overlap(out, source);
    const int64_t along = at::maybe_wrap_dim(dim, index.dim());
    const at::Tensor target = reached(out, index, along);
    const at::Tensor values = reached(source, index, along);
    for (const Run& run : runs) {
        target.narrow(along, run.first, run.length).copy_(values.narrow(along, run.from, run.length));
    }
    return true;
}

bool copy_slices(at::Tensor&, int64_t, const at::Tensor&, const at::Scalar&) { return false; }

template <class Source>
void scatter_any(const at::Tensor& self, int64_t dim, const at::Tensor& index, const Source& source,
                 int64_t reduction, at::Tensor& out) {
    const at::Tensor places = checked_index("index", index, size_along(self, dim));
    if (!same_view(self, out)) {
        assign(out, self);
    }
    if (index.numel() == 0) {
        return;
    }
    if (reduction == 0) {
        if (!copy_slices(out, dim, places, source)) {
            at::cpu::scatter_(out, dim, places, source);
        }
    } else {
        at::cpu::scatter_(out, dim, places, source, reduction == 1 ? "add" : "multiply");
    }
}

}  // namespace

void scatter_add(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                 at::Tensor& out) {
    const at::Tensor places = checked_index("index", index, size_along(self, dim));
    if (!same_view(self, out)) {
        assign(out, self);
    }
    if (index.numel() != 0) {
        at::cpu::scatter_add_(out, dim, places, source);
    }
}

void scatter(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
             int64_t reduction, at::Tensor& out) {
    scatter_any(self, dim, index, source, reduction, out);
}

void scatter(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Scalar& value,
             int64_t reduction, at::Tensor& out) {
    scatter_any(self, dim, index, value, reduction, out);
}

void scatter_reduce(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                    int64_t reduction, bool include_self, at::Tensor& out) {
    if (reduction == 0) {
        scatter(self, dim, index, source, 0, out);
        return;
    }
    constexpr std::array<std::string_view, 6> kNames = {"", "sum", "prod", "amax", "amin", "mean"};
    const std::string_view name = kNames[static_cast<size_t>(reduction)];
    const at::Tensor places = checked_index("index", index, size_along(self, dim));
    if (!same_view(self, out)) {
        assign(out, self);
    }
    at::cpu::scatter_reduce_(out, dim, places, source, {name.data(), name.size()}, include_self);
}

void scatter_update(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates, int64_t axis) {
    const bool pairs = indices.dim() == 2;
    const int64_t length = updates.size(axis);
    const at::Tensor starts =
        checked_index("indices", pairs ? indices.select(1, 1) : indices, self.size(axis) - length + 1);
    const at::Tensor items =
        pairs ? checked_index("indices", indices.select(1, 0), self.size(0)) : at::Tensor();
    const int64_t inner = axis < 0 ? axis : axis - 1;
    for (int64_t i = 0; i < updates.size(0); ++i) {
        const int64_t item = pairs ? items[i].item<int64_t>() : i;
        at::Tensor target = self.select(0, item).narrow(inner, starts[i].item<int64_t>(), length);
        assign(target, updates.select(0, i));
    }
}

void scatter_nd_update(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates) {
    const int64_t depth = indices.size(-1);
    c10::List<std::optional<at::Tensor>> places;
    for (int64_t dim = 0; dim < depth; ++dim) {
        places.push_back(
            checked_index(fmt::format("indices[..., {}]", dim), indices.select(-1, dim), self.size(dim)));
    }
    at::cpu::_index_put_impl_(self, places, updates, false, false);
}

}  // namespace opweld::npu::kernels
