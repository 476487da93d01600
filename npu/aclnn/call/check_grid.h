// Checks of sampling at the points of a grid.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The grid has a point for each place of an image of this size, [N, C, ...], and `theta` a matrix for each.
void affine_grid(const Operand& theta, std::span<const int64_t> size, const Operand& grid);

// The input is [N, C, sizes...], the grid [N, places..., dims] and the output [N, C, places...]. A function
// whose name ends with 3D has three dimensions, others two.
void sampled(std::string_view function, const Operand& input, const Operand& grid, const Operand& output);
void sampling_modes(std::string_view function, int64_t interpolation_mode, int64_t padding_mode);

void two_gradients(std::span<const bool> mask);

}  // namespace opweld::npu::aclnn::check
