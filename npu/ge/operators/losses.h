// Losses: what their text attributes mean, and the forms of their results.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace opweld::npu::graph {

// "none", "mean" and "sum" as ATen's numbers. Throws GraphError for other texts.
int64_t reduction_number(std::string_view reduction);

// A loss of elements of that shape: one of each, or one number.
at::Tensor loss_form(const at::Tensor& x, at::IntArrayRef elements, std::string_view reduction);

// The weights, or ones for each of the classes in the last dimension.
at::Tensor class_weights(const std::optional<at::Tensor>& weight, const at::Tensor& x);

}  // namespace opweld::npu::graph
