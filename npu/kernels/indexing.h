// Reading and writing elements that index tensors or masks name.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <vector>

namespace opweld::npu::kernels {

void gather(const at::Tensor& self, int64_t dim, const at::Tensor& index, at::Tensor& out);
void take(const at::Tensor& self, const at::Tensor& index, at::Tensor& out);
void select_indices(const at::Tensor& self, int64_t dim, const at::Tensor& index, at::Tensor& out);

// One index tensor for each leading dimension of self. An index of shape [0] in self's dtype stands for a
// dimension that isn't indexed, unless all indices are like that.
void index(const at::Tensor& self, const std::vector<at::Tensor>& indices, at::Tensor& out);
void index_put(at::Tensor& self, const std::vector<at::Tensor>& indices, const at::Tensor& values,
               bool accumulate);

// self goes to out first, unless it is the same view.
void index_add(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
               const at::Scalar& alpha, at::Tensor& out);
void index_copy(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                at::Tensor& out);
void index_fill(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Scalar& value,
                at::Tensor& out);
void index_fill(const at::Tensor& self, int64_t dim, c10::ArrayRef<int64_t> index, const at::Scalar& value,
                at::Tensor& out);
void put(at::Tensor& self, const at::Tensor& index, const at::Tensor& source, bool accumulate);

// The places of elements other than zero: one row for each, or one row for each dimension.
void nonzero(const at::Tensor& self, at::Tensor& out);
void nonzero_by_dimension(const at::Tensor& self, at::Tensor& out);

}  // namespace opweld::npu::kernels
