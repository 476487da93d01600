// Shapes, slices and views of the operators that change shapes.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <vector>

namespace opweld::npu::graph {

// An axis counted from the front. Throws GraphError for one that is not there.
int64_t wrapped(int64_t axis, int64_t dimensions);

// A wanted shape in which -1 is what remains, and 0 stays 0.
std::vector<int64_t> reshaped(const at::Tensor& x, at::IntArrayRef shape);

// A view of x with its dimensions in the order of `perm`.
at::Tensor permuted(const at::Tensor& x, at::IntArrayRef perm);

// Dimensions of size 1 at these places of the result.
at::Tensor unsqueezed(const at::Tensor& x, at::IntArrayRef axes);

// Without these dimensions of size 1; without all of size 1 where no axes are given.
at::Tensor squeezed(const at::Tensor& x, at::IntArrayRef axes);

// A view of x in the broadcast shape.
at::Tensor expanded(const at::Tensor& x, at::IntArrayRef shape);

std::vector<int64_t> tiled_shape(const at::Tensor& x, at::IntArrayRef multiples);

// The sizes of x, as a tensor on the CPU.
at::Tensor shape_of(const at::Tensor& x, at::ScalarType dtype);

// Sizes in which one -1 is what remains.
std::vector<int64_t> split_sizes(const at::Tensor& x, std::vector<int64_t> sizes, int64_t dim);

// 0, 1, 2 ... and as many ones, for each entry of `like`.
std::vector<int64_t> all_axes(const std::vector<int64_t>& like);
std::vector<int64_t> ones(const std::vector<int64_t>& like);

// A slice in NumPy's manner; bit i of a mask stands for entry i of the lists.
struct StridedSlice {
    std::vector<int64_t> begin;
    std::vector<int64_t> end;
    std::vector<int64_t> axes;
    std::vector<int64_t> strides;
    int64_t begin_mask;     // from the first element
    int64_t end_mask;       // to the last element
    int64_t ellipsis_mask;  // stands for all dimensions that are not named
    int64_t new_axis_mask;  // a new dimension of size 1
    int64_t shrink_mask;    // one element, and the dimension goes
};
at::Tensor strided_slice(const at::Tensor& x, const StridedSlice& slice);

// Tensors side by side; one without dimensions counts as one with one element.
at::Tensor concatenated(const std::vector<at::Tensor>& tensors, int64_t dim);

// The elements in the opposite order along these axes, with Meta tensors, too.
at::Tensor flipped(const at::Tensor& x, at::IntArrayRef axes);

// Size -1 goes to the end.
at::Tensor sliced(const at::Tensor& x, at::IntArrayRef offsets, at::IntArrayRef sizes);

// The same bytes as another dtype: of another size, the last dimension grows, shrinks, appears or goes.
at::Tensor bitcast(const at::Tensor& x, at::ScalarType dtype);

// Numbers from start to limit, without it.
at::Tensor ranged(const at::Scalar& start, const at::Scalar& limit, const at::Scalar& delta,
                  at::ScalarType dtype);

}  // namespace opweld::npu::graph
