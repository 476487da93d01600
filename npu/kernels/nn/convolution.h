// Convolutions of 1, 2 and 3 dimensions and their transposes. Run under KernelScope. Shapes have been
// checked: outputs have their final shape.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <optional>

namespace opweld::npu::kernels {

// What a convolution does beside its tensors; stride to output_padding have one number for each spatial
// dimension, or one for all. Padding may have two, before and after, which differ only if not transposed.
struct Convolution {
    at::IntArrayRef stride;
    at::IntArrayRef padding;
    at::IntArrayRef dilation;
    bool transposed;
    at::IntArrayRef output_padding;
    int64_t groups;
    int64_t cube_math_type;  // see cube_operand in ../matrix.h
};

void convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                 const Convolution& what, at::Tensor& output);

// Writes the gradients that `mask` asks for and leaves the others alone: torch_npu gives tensors for them all
// the same.
void convolution_backward(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
                          at::OptionalIntArrayRef bias_sizes, const Convolution& what,
                          c10::ArrayRef<bool> mask, const std::optional<at::Tensor>& grad_input,
                          const std::optional<at::Tensor>& grad_weight,
                          const std::optional<at::Tensor>& grad_bias);

// A convolution in which each input channel has filters of its own.
struct Strides {
    at::IntArrayRef stride;
    at::IntArrayRef padding;
    at::IntArrayRef dilation;
};
void depthwise_convolution(const at::Tensor& input, const at::Tensor& weight,
                           const std::optional<at::Tensor>& bias, const Strides& strides,
                           int64_t cube_math_type, at::Tensor& output);

// A convolution over time: inputs are [time, batch, channels], weights [kernel, channels, output channels].
void conv_tbc(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, int64_t pad,
              int64_t cube_math_type, at::Tensor& output);
void conv_tbc_backward(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
                       int64_t pad, int64_t cube_math_type, at::Tensor& grad_input, at::Tensor& grad_weight,
                       at::Tensor& grad_bias);

}  // namespace opweld::npu::kernels
