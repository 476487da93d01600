// Elements by index tensors, and results whose size depends on values.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/ge/operators/call.h"
#include "npu/ge/operators/forms.h"

namespace opweld::npu::graph {

// Slices of x along `axis`; the first `batch_dims` dimensions of both go together. Indices may be negative.
at::Tensor gather_form(const at::Tensor& x, const at::Tensor& indices, int64_t axis, int64_t batch_dims);
void gather_into(at::Tensor& y, const at::Tensor& x, const at::Tensor& indices, int64_t axis,
                 int64_t batch_dims);

// Slices that the last dimension of `indices` names by x's leading dimensions.
at::Tensor gather_nd(const at::Tensor& x, const at::Tensor& indices);
at::Tensor gather_nd_form(const at::Tensor& x, const at::Tensor& indices);

// x[indices]; `mask` says which dimensions are indexed (all leading ones where it is empty).
at::Tensor index_by_tensors(Call& call, const at::Tensor& x, const std::vector<at::Tensor>& indices,
                            at::IntArrayRef mask);

// `reduction`: none, add, mul, amax (max), amin (min) or mean.
void scatter_elements_into(at::Tensor& y, const at::Tensor& data, const at::Tensor& indices,
                           const at::Tensor& updates, int64_t axis, const std::string& reduction);

// Writes into var, and gives it.
at::Tensor scatter_update(const at::Tensor& var, const at::Tensor& indices, const at::Tensor& updates,
                          int64_t axis, const std::string& reduce);
at::Tensor scatter_nd_update(const at::Tensor& var, const at::Tensor& indices, const at::Tensor& updates);

// A view of dst gets the elements of a view of src; dst itself stays as it is.
struct View {
    std::vector<int64_t> size;
    std::vector<int64_t> stride;
    int64_t offset;
};
at::Tensor view_copied(const at::Tensor& dst, const View& to, const at::Tensor& src, const View& from);

// The bags of an EmbeddingBag, and what its gradient needs.
Results embedding_bags(Call& call, const at::Tensor& weight, const at::Tensor& indices,
                       const std::optional<at::Tensor>& offsets, const std::optional<at::Tensor>& weights,
                       const std::string& mode, bool scale_grad_by_freq, bool include_last_offset,
                       int64_t padding_idx);

// What compute() gives, where all inputs' values are known while shapes are inferred; else throws
// ValueUnknown.
Results computed_if_known(Call& call);

std::vector<int64_t> one_hot_shape(const at::Tensor& x, int64_t depth, int64_t axis);

}  // namespace opweld::npu::graph
