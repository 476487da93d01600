// Ordering, and what is found by it: unique values, places in sorted sequences.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <cstdint>
#include <optional>

namespace opweld::npu::kernels {

void sort(const at::Tensor& self, bool stable, int64_t dim, bool descending, at::Tensor& values,
          at::Tensor& indices);
void topk(const at::Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, at::Tensor& values,
          at::Tensor& indices);
void kth_value(const at::Tensor& self, int64_t k, int64_t dim, bool keepdim, at::Tensor& values,
               at::Tensor& indices);

// Stores the unique values, and, where asked for, for each element the place of its value and for each value
// how often it occurs.
void unique(const at::Tensor& self, bool sorted, bool with_inverse, bool with_counts, at::Tensor& values,
            at::Tensor& inverse, at::Tensor& counts);
void unique(const at::Tensor& self, bool sorted, bool with_inverse, at::Tensor& values, at::Tensor& inverse);
// `dim` 1000 stands for the flattened tensor.
void unique_consecutive(const at::Tensor& self, bool with_inverse, bool with_counts, int64_t dim,
                        at::Tensor& values, at::Tensor& inverse, at::Tensor& counts);
void unique_along(const at::Tensor& self, bool sorted, bool with_inverse, int64_t dim, at::Tensor& values,
                  at::Tensor& inverse, at::Tensor& counts);

// The place of a number in a sorted sequence.
void search_number(const at::Tensor& sequence, const at::Scalar& value, bool right,
                   const std::optional<at::Tensor>& sorter, at::Tensor& out);
void search(const at::Tensor& sequence, const at::Tensor& values, bool right,
            const std::optional<at::Tensor>& sorter, at::Tensor& out);

}  // namespace opweld::npu::kernels
