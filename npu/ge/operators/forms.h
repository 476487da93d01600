// Tensors for results, on the device of an input: Meta while shapes are inferred.
#pragma once

#include <ATen/core/Tensor.h>

namespace opweld::npu::graph {

// float32 for 16-bit numbers, which statistics are kept in, else the dtype itself.
inline at::ScalarType wide_dtype(const at::Tensor& x) {
    return x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16 ? at::kFloat : x.scalar_type();
}

// A dense tensor of x's shape.
inline at::Tensor form_like(const at::Tensor& x) { return x.new_empty(x.sizes()); }
inline at::Tensor form_like(const at::Tensor& x, at::ScalarType dtype) {
    return x.new_empty(x.sizes(), x.options().dtype(dtype));
}

// A dense tensor of another shape.
inline at::Tensor form_of(const at::Tensor& x, at::IntArrayRef sizes, at::ScalarType dtype) {
    return x.new_empty(sizes, x.options().dtype(dtype));
}

}  // namespace opweld::npu::graph
