// Padding by a constant or by elements of the tensor itself, and its gradient.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <string_view>
#include <vector>

namespace opweld::npu::graph {

// Elements that are added before and after each dimension; negative numbers take elements away.
struct Paddings {
    std::vector<int64_t> before;
    std::vector<int64_t> after;
};

// Two numbers a dimension: before and after in turn, or first all before and then all after.
Paddings paddings_of(const std::vector<int64_t>& numbers, bool in_turn);

std::vector<int64_t> padded_shape(const at::Tensor& x, const Paddings& paddings);

// `mode`: constant, reflect, symmetric, edge or circular (wrap), in any case.
at::Tensor padded(const at::Tensor& x, const Paddings& paddings, std::string_view mode,
                  const at::Scalar& value);

std::vector<int64_t> unpadded_shape(const at::Tensor& grad, const Paddings& paddings);
at::Tensor padded_gradient(const at::Tensor& grad, const Paddings& paddings, std::string_view mode);

}  // namespace opweld::npu::graph
