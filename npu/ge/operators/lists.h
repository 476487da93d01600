// Operators over lists of tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <vector>

#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// What `function` makes of each tensor.
template <class F>
Results each_of(const std::vector<at::Tensor>& tensors, const F& function) {
    Results all;
    for (const at::Tensor& tensor : tensors) {
        all.push_back(function(tensor));
    }
    return all;
}

// A tensor like each; all lists must have the same number of them, and the same shapes.
Results like_each(const std::vector<at::Tensor>& tensors);
Results like_each(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& others);
Results like_each(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& others,
                  const std::vector<at::Tensor>& thirds);

// Number i of a tensor that has one for each of `count` list entries.
at::Scalar number_at(const at::Tensor& numbers, size_t i, size_t count);

// Rounds by a code: 1 to nearest, ties to even; 2 down; 3 up; 4 to nearest, ties away from zero; 5 towards
// zero; 7 leaves the fractional part.
void round_off(const at::Tensor& x, const at::Scalar& mode, at::Tensor& y);

}  // namespace opweld::npu::graph
