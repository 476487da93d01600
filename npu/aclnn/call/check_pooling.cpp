#include "npu/aclnn/call/check_pooling.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {
namespace {

int64_t at(const char* name, std::span<const int64_t> numbers, size_t i, int64_t least) {
    if (numbers.empty() || numbers.size() > 2) {
        invalid(fmt::format("argument '{}' has {} numbers, expected 1 or 2", name, numbers.size()));
    }
    const int64_t value = numbers[numbers.size() == 1 ? 0 : i];
    if (value < least) {
        invalid(fmt::format("argument '{}' has {}, expected at least {}", name, value, least));
    }
    return value;
}

// The number of windows along a dimension. With ceil_mode one more may start in the input or in the padding
// before it.
int64_t windows(const PoolingArguments& a, int64_t size, size_t i) {
    const int64_t kernel = at("kernelSize", a.kernel, i, 1);
    const int64_t stride = at("stride", a.stride.empty() ? a.kernel : a.stride, i, 1);
    const int64_t padding = at("padding", a.padding, i, 0);
    const int64_t dilation = a.dilation.empty() ? 1 : at("dilation", a.dilation, i, 1);
    const int64_t extent = dilation * (kernel - 1) + 1;
    if (padding > extent / 2) {
        invalid(fmt::format("argument 'padding' has {}, expected at most half of the window's extent, {}",
                            padding, extent));
    }
    const int64_t room = size + 2 * padding - extent;
    if (room < 0 && !a.ceil_mode) {
        invalid(fmt::format("the window of 'kernelSize' spans {} elements, but the padded input has {}",
                            extent, size + 2 * padding));
    }
    const int64_t rounded = room + (a.ceil_mode ? stride - 1 : 0);
    int64_t count = (rounded >= 0 ? rounded / stride : -((-rounded + stride - 1) / stride)) + 1;
    if (a.ceil_mode && (count - 1) * stride >= size + padding) {
        --count;
    }
    return count;
}

Shape with_last(const Operand& input, int64_t height, int64_t width) {
    has_rank(input, 3, 4);
    Shape shape(input.shape().begin(), input.shape().end());
    shape[shape.size() - 2] = height;
    shape[shape.size() - 1] = width;
    return shape;
}

}  // namespace

void pooled(const Operand& input, const PoolingArguments& a, const Operand& output) {
    has_rank(input, 3, 4);
    const int64_t height = windows(a, input.size(input.rank() - 2), 0);
    const int64_t width = windows(a, input.size(input.rank() - 1), 1);
    has_shape(output, with_last(input, height, width), "the pooling's result");
}

void adaptively_pooled(const Operand& input, std::span<const int64_t> size, const Operand& output) {
    has_shape(output, with_last(input, at("outputSize", size, 0, 0), at("outputSize", size, 1, 0)),
              "the size that was asked for");
}

void pooling_mask(const Operand& output, const Operand& mask) {
    const auto bytes = mask.elements() * static_cast<int64_t>(item_size(mask.dtype()));
    if (bytes < 2 * output.elements()) {
        invalid(fmt::format("argument '{}' has {} bytes, expected 2 for each of {} elements of the output",
                            mask.name(), bytes, output.elements()));
    }
}

}  // namespace opweld::npu::aclnn::check
