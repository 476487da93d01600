// Elements in another order, several times, or in windows.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace opweld::npu::kernels {

// Copies a result to an output that must have its shape; AclException (361001) says which argument decided
// it.
void assign_exact(at::Tensor& out, const at::Tensor& result, const char* argument);

// Each element (of the flattened tensor without `dim`) as often as `repeats` says: one number, or one for
// each place along `dim`.
void repeat_interleave(const at::Tensor& self, const at::Tensor& repeats, std::optional<int64_t> dim,
                       at::Tensor& out);
void repeat_interleave(const at::Tensor& self, int64_t repeats, std::optional<int64_t> dim, at::Tensor& out);
// The place of each element's origin: 0 as often as repeats[0] says, and so on.
void repeat_interleave_places(const at::Tensor& repeats, at::Tensor& out);
void repeat_interleave_backward(const at::Tensor& grad, const at::Tensor& repeats, int64_t axis,
                                at::Tensor& out);

// The tensors cut into `num_chunks` parts along `dim`, the parts of all of them side by side.
void chunk_cat(const std::vector<at::Tensor>& tensors, int64_t dim, int64_t num_chunks, at::Tensor& out);

// `on` at the place along `axis` that an index names, `off` elsewhere.
void one_hot(const at::Tensor& self, int64_t depth, const at::Tensor& on, const at::Tensor& off, int64_t axis,
             at::Tensor& out);

void split_with_sizes(const at::Tensor& self, c10::ArrayRef<int64_t> sizes, int64_t dim,
                      std::vector<at::Tensor>& out);

// The options of a strided slice. Bit i of a mask is for entry i of the arrays: begin_mask and end_mask
// ignore that entry's begin or end, ellipsis_mask lets it stand for all dimensions not named, new_axis_mask
// inserts a dimension of size 1, shrink_axis_mask takes one place and drops the dimension.
struct SliceMasks {
    int64_t begin;
    int64_t end;
    int64_t ellipsis;
    int64_t new_axis;
    int64_t shrink_axis;
};
void strided_slice(const at::Tensor& self, c10::ArrayRef<int64_t> begin, c10::ArrayRef<int64_t> end,
                   c10::ArrayRef<int64_t> strides, const SliceMasks& masks, at::Tensor& out);

// Adds up the values of equal places of a sparse tensor: `places` says where each entry's sum goes.
void coalesce(const at::Tensor& places, const at::Tensor& indices, const at::Tensor& values,
              at::Tensor& new_indices, at::Tensor& new_values);

}  // namespace opweld::npu::kernels
