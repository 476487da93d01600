// Checks of the convolutions.
#pragma once

#include "npu/aclnn/call/check_gradients.h"

namespace opweld::npu::aclnn::check {

// stride to output_padding have one number for each spatial dimension, or one for all.
// `padding` may also have two numbers for each spatial dimension, before and after.
struct ConvolutionArguments {
    std::span<const int64_t> stride;
    std::span<const int64_t> padding;
    std::span<const int64_t> dilation;
    bool transposed;
    std::span<const int64_t> output_padding;
    int64_t groups;
};

// Ranks, channels, groups and numbers fit, and `output` has the resulting shape.
void convolution(const Operand& input, const Operand& weight, const ConvolutionArguments& arguments,
                 const Operand& output);

// The bias has one element for each output channel and the dtype of the weight.
void convolution_bias(const Operand& weight, const Operand& bias, bool transposed, int64_t groups);

// A convolution with a group for each input channel; `groups` of the arguments is not looked at.
void depthwise(const Operand& input, const Operand& weight, std::span<const int64_t> kernel_size,
               const Operand& bias, ConvolutionArguments arguments, const Operand& output);

// Inputs are [time, batch, channels], weights [kernel, channels, output channels].
void time_batch_channels(const Operand& input, const Operand& weight, const Operand& bias, int64_t pad,
                         const Operand& output);

}  // namespace opweld::npu::aclnn::check
