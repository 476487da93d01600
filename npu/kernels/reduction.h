// Helpers of the reductions' rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <tuple>

#include "npu/kernels/indices.h"

namespace opweld::npu::kernels {

// Copies two results into their outputs, converting dtypes.
void assign(at::Tensor& first, at::Tensor& second, const std::tuple<at::Tensor, at::Tensor>& results);

// The norm of the elements over dimensions (none: all), in the output's precision.
void vector_norm(const at::Tensor& self, const at::Scalar& ord, at::IntArrayRef dim, bool keepdim,
                 at::Tensor& out);

// The product over a dimension (none: of all elements) as `dtype`; of 16-bit numbers it is rounded once.
void product(const at::Tensor& self, std::optional<int64_t> dim, bool keepdim, at::ScalarType dtype,
             at::Tensor& out);

// How many elements lie in each of `bins` equal parts of [min, max]; the tensor's own range if both are
// equal.
void histogram(const at::Tensor& self, int64_t bins, const at::Scalar& min, const at::Scalar& max,
               at::Tensor& out);

// How often each number from 0 occurs, or the sum of its weights. Throws unless the output has as many
// elements as the largest number plus one, and at least `minlength`.
void count(const at::Tensor& self, const std::optional<at::Tensor>& weights, int64_t minlength,
           at::Tensor& out);

}  // namespace opweld::npu::kernels
