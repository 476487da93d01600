// Sampling at the points of a grid. Run under KernelScope.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <tuple>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {

// The points so that ATen computes no place from them that an integer can't hold: no number and infinity
// become far outside.
inline at::Tensor finite_points(const at::Tensor& grid) {
    constexpr double kFar = 1e6;
    return widened(grid).clamp(-kFar, kFar).nan_to_num(-kFar);
}

// Stores those gradients that the mask asks for.
inline void assign_sampler_gradients(c10::ArrayRef<bool> mask, at::Tensor& input_grad, at::Tensor& grid_grad,
                                     const std::tuple<at::Tensor, at::Tensor>& gradients) {
    if (mask[0]) {
        assign(input_grad, std::get<0>(gradients));
    }
    if (mask[1]) {
        assign(grid_grad, std::get<1>(gradients));
    }
}

}  // namespace opweld::npu::kernels
