#include "npu/aclnn/call/check_convolution.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

// The number for spatial dimension i.
int64_t at(const char* name, std::span<const int64_t> numbers, int64_t i, int64_t spatial, int64_t least) {
    const auto size = static_cast<int64_t>(numbers.size());
    if (size != 1 && size != spatial) {
        invalid(fmt::format("argument '{}' has {} numbers, expected {} or 1", name, size, spatial));
    }
    const int64_t value = numbers[size == 1 ? 0 : static_cast<size_t>(i)];
    if (value < least) {
        invalid(fmt::format("argument '{}' has {}, expected at least {}", name, value, least));
    }
    return value;
}

// What is put before and after spatial dimension i together.
int64_t padded_by(const ConvolutionArguments& a, int64_t i, int64_t spatial) {
    if (static_cast<int64_t>(a.padding.size()) != 2 * spatial || spatial == 0) {
        return 2 * at("padding", a.padding, i, spatial, 0);
    }
    const int64_t before = a.padding[static_cast<size_t>(2 * i)];
    const int64_t after = a.padding[static_cast<size_t>(2 * i + 1)];
    if (before < 0 || after < 0) {
        invalid(fmt::format("argument 'padding' has {}, expected at least 0", std::min(before, after)));
    }
    if (a.transposed && before != after) {
        invalid(
            fmt::format("argument 'padding' has {} before and {} after a dimension, expected one number "
                        "of both for a transposed convolution",
                        before, after));
    }
    return before + after;
}

int64_t output_size(const Operand& input, const Operand& weight, const ConvolutionArguments& a, int64_t i) {
    const int64_t spatial = weight.rank() - 2;
    const int64_t stride = at("stride", a.stride, i, spatial, 1);
    const int64_t padding = padded_by(a, i, spatial);
    const int64_t dilation = at("dilation", a.dilation, i, spatial, 1);
    const int64_t extent = dilation * (weight.size(i + 2) - 1) + 1;
    const int64_t size = input.size(i + 2);
    if (a.transposed) {
        const int64_t output_padding = at("outputPadding", a.output_padding, i, spatial, 0);
        return (size - 1) * stride - padding + extent + output_padding;
    }
    if (size + padding < extent) {
        invalid(fmt::format(
            "argument 'input' has {} elements in dimension {} ({} with padding), expected at least the "
            "extent of the kernel, {}",
            size, i + 2, size + padding, extent));
    }
    return (size + padding - extent) / stride + 1;
}

}  // namespace

void convolution(const Operand& input, const Operand& weight, const ConvolutionArguments& a,
                 const Operand& output) {
    has_rank(weight, 3, 5);
    has_rank(input, weight.rank(), weight.rank());
    if (a.groups < 1 || weight.size(0) % a.groups != 0) {
        invalid(fmt::format("argument 'groups' is {}, expected a divisor of {}, the first size of 'weight'",
                            a.groups, weight.size(0)));
    }
    const int64_t channels = a.transposed ? weight.size(0) : weight.size(1) * a.groups;
    if (input.size(1) != channels) {
        invalid(
            fmt::format("argument 'input' {} has {} channels, expected {} for the weight {} and {} groups",
                        text(input.shape()), input.size(1), channels, text(weight.shape()), a.groups));
    }
    Shape shape{input.size(0), a.transposed ? weight.size(1) * a.groups : weight.size(0)};
    for (int64_t i = 0; i < weight.rank() - 2; ++i) {
        shape.push_back(output_size(input, weight, a, i));
    }
    has_shape(output, shape, "the convolution's result");
}

void convolution_bias(const Operand& weight, const Operand& bias, bool transposed, int64_t groups) {
    if (bias) {
        const int64_t channels[] = {transposed ? weight.size(1) * groups : weight.size(0)};
        has_shape(bias, channels, "one for each output channel");
    }
}

void depthwise(const Operand& input, const Operand& weight, std::span<const int64_t> kernel_size,
               const Operand& bias, ConvolutionArguments a, const Operand& output) {
    has_rank(input, 4, 4);
    has_rank(weight, 4, 4);
    if (!std::ranges::equal(kernel_size, weight.shape().subspan(2))) {
        invalid(fmt::format("argument 'kernelSize' is {}, expected the last sizes of '{}' {}",
                            text(kernel_size), weight.name(), text(weight.shape())));
    }
    a.groups = input.size(1);
    convolution(input, weight, a, output);
    convolution_bias(weight, bias, false, a.groups);
}

void time_batch_channels(const Operand& input, const Operand& weight, const Operand& bias, int64_t pad,
                         const Operand& output) {
    has_rank(input, 3, 3);
    has_rank(weight, 3, 3);
    const int64_t time = input.size(0) + 2 * pad - weight.size(0) + 1;
    if (pad < 0 || time < 0 || input.size(2) != weight.size(1)) {
        invalid(
            fmt::format("input {}, weight {} and padding {} don't fit: a convolution needs equal channels "
                        "(last of the input, middle of the weight) and at least the kernel's length",
                        text(input.shape()), text(weight.shape()), pad));
    }
    const int64_t channels = weight.size(2);
    has_shape(bias, {&channels, 1}, "one for each output channel");
    const int64_t shape[] = {time, input.size(1), channels};
    has_shape(output, shape, "the convolution's result");
}

}  // namespace opweld::npu::aclnn::check
