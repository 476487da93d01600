// Checks of the interpolations.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The input is [N, C, sizes...] with `dims` sizes, and the output [N, C, size...] in the same dtype.
void resized(const Operand& input, std::span<const int64_t> size, int64_t dims, const Operand& output);

// `grad_output` is [N, C, output size...], and `grad_input` has the input's size.
void resized_gradient(const Operand& grad_output, std::span<const int64_t> output_size,
                      std::span<const int64_t> input_size, int64_t dims, const Operand& grad_input);

// The scales, where they are positive, lead from every place of the output into the input: with antialiasing
// each place is a sum over the input around it. `sizes` are the input's and `output_sizes` the output's.
void scales_fit(std::span<const int64_t> sizes, std::span<const int64_t> output_sizes,
                std::initializer_list<double> scales);

}  // namespace opweld::npu::aclnn::check
