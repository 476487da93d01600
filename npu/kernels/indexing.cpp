#include "npu/kernels/indexing.h"

#include <ATen/core/List.h>
#include <ATen/ops/_index_put_impl_cpu_dispatch.h>
#include <ATen/ops/gather_cpu_dispatch.h>
#include <ATen/ops/index_add_cpu_dispatch.h>
#include <ATen/ops/index_copy_cpu_dispatch.h>
#include <ATen/ops/index_cpu_dispatch.h>
#include <ATen/ops/index_fill_cpu_dispatch.h>
#include <ATen/ops/index_select_cpu_dispatch.h>
#include <ATen/ops/nonzero_cpu_dispatch.h>
#include <ATen/ops/put_cpu_dispatch.h>
#include <ATen/ops/take_cpu_dispatch.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "npu/kernels/index_range.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

using Indices = c10::List<std::optional<at::Tensor>>;

bool is_mask(const at::Tensor& index) {
    return index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
}

bool stands_for_all(const at::Tensor& index, const at::Tensor& self) {
    return index.dim() == 1 && index.numel() == 0 && index.scalar_type() == self.scalar_type();
}

// The indices as ATen takes them. None, if they name no element.
std::optional<Indices> converted(const at::Tensor& self, const std::vector<at::Tensor>& indices) {
    if (std::ranges::all_of(indices, [](const at::Tensor& index) { return index.numel() == 0; })) {
        return std::nullopt;
    }
    Indices result;
    int64_t dim = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
        const at::Tensor& index = indices[i];
        if (stands_for_all(index, self)) {
            result.push_back(std::nullopt);
            ++dim;
        } else if (is_mask(index)) {
            result.push_back(index);
            dim += index.dim();
        } else {
            result.push_back(
                checked_index(fmt::format("indices[{}]", i), index, self.size(dim), Counted::from_both_ends));
            ++dim;
        }
    }
    return result;
}

bool has_16_bits(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
}

void begin_with(at::Tensor& out, const at::Tensor& self) {
    if (!same_view(self, out)) {
        assign(out, self);
    }
}

}  // namespace

void gather(const at::Tensor& self, int64_t dim, const at::Tensor& index, at::Tensor& out) {
    if (index.numel() != 0) {
        at::cpu::gather_outf(self, dim, checked_index("index", index, size_along(self, dim)), false, out);
    }
}

void take(const at::Tensor& self, const at::Tensor& index, at::Tensor& out) {
    if (index.numel() != 0) {
        at::cpu::take_outf(self, checked_index("index", index, self.numel(), Counted::from_both_ends), out);
    }
}

void select_indices(const at::Tensor& self, int64_t dim, const at::Tensor& index, at::Tensor& out) {
    const at::Tensor places = checked_index("index", index, size_along(self, dim));
    if (out.is_contiguous()) {
        at::cpu::index_select_outf(self, dim, places, out);
    } else {
        assign(out, at::cpu::index_select(self, dim, places));
    }
}

void index(const at::Tensor& self, const std::vector<at::Tensor>& indices, at::Tensor& out) {
    if (out.numel() == 0) {
        return;
    }
    if (const auto places = converted(self, indices)) {
        at::cpu::index_outf(self, *places, out);
    } else {
        throw AclException(361001, "the indices name no element, but argument 'out' has elements");
    }
}

void index_put(at::Tensor& self, const std::vector<at::Tensor>& indices, const at::Tensor& values,
               bool accumulate) {
    const auto places = converted(self, indices);
    if (!places.has_value()) {
        return;
    }
    if (accumulate && has_16_bits(self)) {  // ATen rounds each sum
        at::Tensor sums = self.to(at::kFloat);
        at::cpu::_index_put_impl_(sums, *places, values.to(at::kFloat), true, false);
        assign(self, sums);
    } else {
        at::cpu::_index_put_impl_(self, *places, values, accumulate, false);
    }
}

void index_add(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
               const at::Scalar& alpha, at::Tensor& out) {
    const at::Tensor places = checked_index("index", index, size_along(self, dim));
    begin_with(out, self);
    if (index.numel() != 0) {
        at::cpu::index_add_(out, dim, places, source, alpha);
    }
}

void index_copy(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                at::Tensor& out) {
    const at::Tensor places = checked_index("index", index, size_along(self, dim));
    begin_with(out, self);
    if (index.numel() != 0) {
        at::cpu::index_copy_(out, dim, places, source);
    }
}

namespace {

// ATen fills no unsigned integers of more than 8 bits; signed ones take the same bits.
void fill_places(at::Tensor& out, int64_t dim, const at::Tensor& places, const at::Scalar& value) {
    const auto fill_bits = [&](auto number, at::ScalarType dtype) {
        at::Tensor bits = out.view(dtype);
        at::cpu::index_fill_(bits, dim, places, number);
    };
    switch (out.scalar_type()) {
        case at::kUInt16:
            return fill_bits(static_cast<int16_t>(value.toLong()), at::kShort);
        case at::kUInt32:
            return fill_bits(static_cast<int32_t>(value.toLong()), at::kInt);
        case at::kUInt64:
            return fill_bits(value.toLong(), at::kLong);
        default:
            at::cpu::index_fill_(out, dim, places, value);
    }
}

}  // namespace

void index_fill(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Scalar& value,
                at::Tensor& out) {
    const at::Tensor places = checked_index("index", index, size_along(self, dim), Counted::from_both_ends);
    begin_with(out, self);
    fill_places(out, dim, places, value);
}

void index_fill(const at::Tensor& self, int64_t dim, c10::ArrayRef<int64_t> index, const at::Scalar& value,
                at::Tensor& out) {
    index_fill(self, dim, at::tensor(index), value, out);
}

void put(at::Tensor& self, const at::Tensor& index, const at::Tensor& source, bool accumulate) {
    if (index.numel() == 0) {
        return;
    }
    const at::Tensor places = checked_index("index", index, self.numel(), Counted::from_both_ends);
    if (accumulate && has_16_bits(self)) {
        at::Tensor sums = self.to(at::kFloat);
        at::cpu::put_(sums, places, source.to(at::kFloat), true);
        assign(self, sums);
    } else {
        at::cpu::put_(self, places, source, accumulate);
    }
}

void nonzero(const at::Tensor& self, at::Tensor& out) { store(out, at::cpu::nonzero(self)); }

void nonzero_by_dimension(const at::Tensor& self, at::Tensor& out) {
    store(out, at::cpu::nonzero(self).t().contiguous());
}

}  // namespace opweld::npu::kernels
