// Checks of the poolings.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// Each array has a number for each dimension, or one for all; an empty stride is the kernel, an empty
// dilation is 1.
struct PoolingArguments {
    std::span<const int64_t> kernel;
    std::span<const int64_t> stride;
    std::span<const int64_t> padding;
    std::span<const int64_t> dilation;
    bool ceil_mode;
};

// The input has 3 or 4 dimensions, and `output` the shape that pooling its last two gives.
void pooled(const Operand& input, const PoolingArguments& arguments, const Operand& output);
void adaptively_pooled(const Operand& input, std::span<const int64_t> size, const Operand& output);

// The same for three dimensions, and for as many as the function's name says: "AdaptiveMaxPool3d".
void pooled_3d(const Operand& input, const PoolingArguments& arguments, const Operand& output);
void adaptively_pooled_by(std::string_view function, const Operand& input, std::span<const int64_t> size,
                          const Operand& output);

// The gradient has the input's batch and channels. The name says the dimensions: "AdaptiveAvgPool3dBackward".
void adaptive_gradient(std::string_view function, const Operand& input, const Operand& grad_output);

// Three numbers, one for each dimension, from `least`.
void triple(std::string_view name, std::span<const int64_t> values, int64_t least);

// The mask of a pooling has two bytes for each element of the output.
void pooling_mask(const Operand& output, const Operand& mask);

}  // namespace opweld::npu::aclnn::check
