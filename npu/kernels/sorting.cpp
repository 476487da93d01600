#include "npu/kernels/sorting.h"

#include <ATen/ops/_unique2_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/kthvalue_cpu_dispatch.h>
#include <ATen/ops/searchsorted_cpu_dispatch.h>
#include <ATen/ops/sort_cpu_dispatch.h>
#include <ATen/ops/topk_cpu_dispatch.h>
#include <ATen/ops/unique_consecutive_cpu_dispatch.h>
#include <ATen/ops/unique_dim_cpu_dispatch.h>

#include <tuple>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kFlattened = 1000;

// ATen's kernels may leave values and indices in memory of their own layout.
void assign_both(const std::tuple<at::Tensor, at::Tensor>& result, at::Tensor& values, at::Tensor& indices) {
    assign(values, std::get<0>(result));
    assign(indices, std::get<1>(result));
}

std::optional<at::Tensor> as_int64(const std::optional<at::Tensor>& sorter) {
    return sorter.has_value() ? std::optional(sorter->to(at::kLong)) : std::nullopt;
}

}  // namespace

void sort(const at::Tensor& self, bool stable, int64_t dim, bool descending, at::Tensor& values,
          at::Tensor& indices) {
    if (values.is_contiguous() && indices.is_contiguous() && values.scalar_type() == self.scalar_type() &&
        indices.scalar_type() == at::kLong) {
        at::cpu::sort_outf(self, stable, dim, descending, values, indices);
    } else {
        assign_both(at::cpu::sort(self, stable, dim, descending), values, indices);
    }
}

void topk(const at::Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, at::Tensor& values,
          at::Tensor& indices) {
    assign_both(at::cpu::topk(self, k, dim, largest, sorted), values, indices);
}

void kth_value(const at::Tensor& self, int64_t k, int64_t dim, bool keepdim, at::Tensor& values,
               at::Tensor& indices) {
    at::Tensor found = at::empty({0}, values.options());
    at::Tensor places = at::empty({0}, values.options().dtype(at::kLong));
    at::cpu::kthvalue_outf(self, k, dim, keepdim, found, places);
    assign(values, found);
    assign(indices, places);
}

void unique(const at::Tensor& self, bool sorted, bool with_inverse, bool with_counts, at::Tensor& values,
            at::Tensor& inverse, at::Tensor& counts) {
    const auto [found, places, numbers] = at::cpu::_unique2(self, sorted, with_inverse, with_counts);
    store(values, found);
    if (with_inverse) {
        assign(inverse, places);
    }
    if (with_counts) {
        store(counts, numbers);
    }
}

void unique(const at::Tensor& self, bool sorted, bool with_inverse, at::Tensor& values, at::Tensor& inverse) {
    const auto result = at::cpu::_unique2(self, sorted, with_inverse, false);
    store(values, std::get<0>(result));
    if (with_inverse) {
        assign(inverse, std::get<1>(result));
    }
}

void unique_consecutive(const at::Tensor& self, bool with_inverse, bool with_counts, int64_t dim,
                        at::Tensor& values, at::Tensor& inverse, at::Tensor& counts) {
    const auto along = dim == kFlattened ? std::nullopt : std::optional<int64_t>(dim);
    const auto [found, places, numbers] = at::cpu::unique_consecutive(self, with_inverse, with_counts, along);
    store(values, found);
    if (with_inverse) {
        assign(inverse, places);
    }
    if (with_counts) {
        store(counts, numbers);
    }
}

void unique_along(const at::Tensor& self, bool sorted, bool with_inverse, int64_t dim, at::Tensor& values,
                  at::Tensor& inverse, at::Tensor& counts) {
    const auto [found, places, numbers] = at::cpu::unique_dim(self, dim, sorted, true, true);
    store(values, found);
    if (with_inverse) {
        assign(inverse, places);
    }
    store(counts, numbers);
}

void search_number(const at::Tensor& sequence, const at::Scalar& value, bool right,
                   const std::optional<at::Tensor>& sorter, at::Tensor& out) {
    assign(out, at::cpu::searchsorted(sequence, value, false, right, std::nullopt, as_int64(sorter)));
}

void search(const at::Tensor& sequence, const at::Tensor& values, bool right,
            const std::optional<at::Tensor>& sorter, at::Tensor& out) {
    assign(out, at::cpu::searchsorted(sequence, values, false, right, std::nullopt, as_int64(sorter)));
}

}  // namespace opweld::npu::kernels
