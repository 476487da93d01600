// Convolutions that are special cases of the general one.
#include <array>

#include "npu/kernels/nn/convolution.h"

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kNone = 0;
constexpr int64_t kOne = 1;

// [time, batch, channels] as [batch, channels, time], and [kernel, channels, output channels] turned round.
at::Tensor sequences(const at::Tensor& tensor) { return tensor.permute({1, 2, 0}); }
at::Tensor filters(const at::Tensor& tensor) { return tensor.permute({2, 1, 0}); }

Convolution over_time(const int64_t& pad, int64_t cube_math_type) {
    return {.stride = kOne,
            .padding = pad,
            .dilation = kOne,
            .transposed = false,
            .output_padding = kNone,
            .groups = 1,
            .cube_math_type = cube_math_type};
}

}  // namespace

void depthwise_convolution(const at::Tensor& input, const at::Tensor& weight,
                           const std::optional<at::Tensor>& bias, const Strides& strides,
                           int64_t cube_math_type, at::Tensor& output) {
    const Convolution what{.stride = strides.stride,
                           .padding = strides.padding,
                           .dilation = strides.dilation,
                           .transposed = false,
                           .output_padding = kNone,
                           .groups = input.size(1),
                           .cube_math_type = cube_math_type};
    convolution(input, weight, bias, what, output);
}

void conv_tbc(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, int64_t pad,
              int64_t cube_math_type, at::Tensor& output) {
    at::Tensor result = sequences(output);
    convolution(sequences(input), filters(weight), bias, over_time(pad, cube_math_type), result);
}

void conv_tbc_backward(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
                       int64_t pad, int64_t cube_math_type, at::Tensor& grad_input, at::Tensor& grad_weight,
                       at::Tensor& grad_bias) {
    const std::array<bool, 3> all{true, true, true};
    const int64_t channels = weight.size(2);
    convolution_backward(sequences(grad_output), sequences(input), filters(weight),
                         at::OptionalIntArrayRef(channels), over_time(pad, cube_math_type), all,
                         sequences(grad_input), filters(grad_weight), grad_bias);
}

}  // namespace opweld::npu::kernels
