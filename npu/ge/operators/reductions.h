// Reductions over axes; an empty list of axes reduces nothing unless said otherwise.
#pragma once

#include <ATen/core/Tensor.h>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// The sum in the dtype of x.
at::Tensor sum_over(const at::Tensor& x, at::IntArrayRef axes, bool keep);

// The mean, as `dtype` (that of x where it is undefined); without axes x itself if `identity`, else the mean
// of all.
at::Tensor mean_over(const at::Tensor& x, at::IntArrayRef axes, bool keep, bool identity,
                     at::ScalarType dtype);

at::Tensor product_over(const at::Tensor& x, at::IntArrayRef axes, bool keep);
at::Tensor any_over(const at::Tensor& x, at::IntArrayRef axes, bool keep);
at::Tensor all_over(const at::Tensor& x, at::IntArrayRef axes, bool keep);

// Standard deviation and mean over `axes`, all where empty.
Results std_and_mean(const at::Tensor& x, at::IntArrayRef axes, int64_t correction, bool keep);

// A cumulative sum or product.
at::Tensor scanned(const at::Tensor& x, int64_t axis, bool exclusive, bool reverse, bool product);

std::vector<int64_t> all_where_empty(const at::Tensor& x, at::IntArrayRef axes);

// Two tensors of that form.
Results both_like(const at::Tensor& form);

// The order of a norm: the greatest and the least int32 stand for infinity, either sign.
double norm_order(double p);

}  // namespace opweld::npu::graph
