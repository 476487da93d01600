#include "npu/kernels/scatter.h"

#include <ATen/core/List.h>
#include <ATen/ops/_index_put_impl_cpu_dispatch.h>
#include <ATen/ops/scatter_add_cpu_dispatch.h>
#include <ATen/ops/scatter_cpu_dispatch.h>
#include <ATen/ops/scatter_reduce_cpu_dispatch.h>
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "npu/kernels/index_range.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

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
        at::cpu::scatter_(out, dim, places, source);
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
