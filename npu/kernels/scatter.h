// Writing values to the places that an index tensor names along one dimension.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <cstdint>

namespace opweld::npu::kernels {

void scatter_add(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                 at::Tensor& out);

// `reduction`: 0 replaces, 1 adds, 2 multiplies. self goes to out first, unless it is the same view.
void scatter(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
             int64_t reduction, at::Tensor& out);
void scatter(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Scalar& value,
             int64_t reduction, at::Tensor& out);

// `reduction`: 0 replaces, 1 adds, 2 multiplies, 3 keeps the greatest, 4 the least, 5 takes the mean.
void scatter_reduce(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                    int64_t reduction, bool include_self, at::Tensor& out);

// Writes item i of `updates` to item i of self, from place indices[i] on along `axis`; or, where indices have
// two columns, to the item in the first column, from the place in the second.
void scatter_update(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates, int64_t axis);

// Each row of `indices` names a slice of self by its leading dimensions.
void scatter_nd_update(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates);

}  // namespace opweld::npu::kernels
