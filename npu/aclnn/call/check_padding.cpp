#include "npu/aclnn/call/check_padding.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void padded(const Operand& input, std::span<const int64_t> padding, const Operand& output) {
    if (padding.size() % 2 != 0 || std::ssize(padding) / 2 > input.rank()) {
        invalid(
            fmt::format("argument 'padding' has {} numbers, expected two for each of at most {} dimensions",
                        padding.size(), input.rank()));
    }
    Shape shape(input.shape().begin(), input.shape().end());
    for (size_t i = 0; i < padding.size() / 2; ++i) {
        int64_t& size = shape[shape.size() - 1 - i];
        if (__builtin_add_overflow(size, padding[2 * i], &size) ||
            __builtin_add_overflow(size, padding[2 * i + 1], &size) || size < 0) {
            invalid(fmt::format("argument 'padding' is {}, which leaves nothing of dimension {} of '{}' {}",
                                text(padding), shape.size() - 1 - i, input.name(), text(input.shape())));
        }
    }
    has_shape(output, shape, "the input and its padding");
}

void pads_of(std::string_view function, const Operand& input, std::span<const int64_t> padding) {
    const int64_t dims = function[function.size() - 2] - '0';
    has_rank(input, dims + 1, dims + 2);
    if (std::ssize(padding) != 2 * dims) {
        invalid(fmt::format("argument 'padding' has {} numbers, expected {}", padding.size(), 2 * dims));
    }
    if (!function.starts_with("Reflection")) {
        return;
    }
    for (size_t i = 0; i < padding.size(); ++i) {
        const int64_t size = input.size(input.rank() - 1 - static_cast<int64_t>(i / 2));
        if (padding[i] >= size) {
            invalid(
                fmt::format("argument 'padding' has {}, expected less than the size that is reflected, {}",
                            padding[i], size));
        }
    }
}

}  // namespace opweld::npu::aclnn::check
