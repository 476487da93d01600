#include "npu/aclnn/call/check_pooling.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

int64_t at(const char* name, std::span<const int64_t> numbers, size_t i, int64_t least, size_t dims) {
    if (numbers.size() != 1 && numbers.size() != dims) {
        invalid(fmt::format("argument '{}' has {} numbers, expected 1 or {}", name, numbers.size(), dims));
    }
    const int64_t value = numbers[numbers.size() == 1 ? 0 : i];
    if (value < least) {
        invalid(fmt::format("argument '{}' has {}, expected at least {}", name, value, least));
    }
    return value;
}

// The number of windows along a dimension. With ceil_mode one more may start in the input or in the padding
// before it.
int64_t windows(const PoolingArguments& a, int64_t size, size_t i, size_t dims) {
    const int64_t kernel = at("kernelSize", a.kernel, i, 1, dims);
    const int64_t stride = at("stride", a.stride.empty() ? a.kernel : a.stride, i, 1, dims);
    const int64_t padding = at("padding", a.padding, i, 0, dims);
    const int64_t dilation = a.dilation.empty() ? 1 : at("dilation", a.dilation, i, 1, dims);
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

// The input's shape with other sizes in its last dimensions.
Shape with_last(const Operand& input, const Shape& sizes) {
    const auto dims = std::ssize(sizes);
    has_rank(input, dims + 1, dims + 2);
    Shape shape(input.shape().begin(), input.shape().end());
    std::ranges::copy(sizes, shape.end() - dims);
    return shape;
}

void pooled(const Operand& input, const PoolingArguments& a, const Operand& output, size_t dims) {
    const auto rank = static_cast<int64_t>(dims);
    has_rank(input, rank + 1, rank + 2);
    Shape sizes;
    for (size_t i = 0; i < dims; ++i) {
        sizes.push_back(windows(a, input.size(input.rank() - rank + static_cast<int64_t>(i)), i, dims));
    }
    has_shape(output, with_last(input, sizes), "the pooling's result");
}

void adaptively_pooled(const Operand& input, std::span<const int64_t> size, const Operand& output,
                       size_t dims) {
    Shape sizes;
    for (size_t i = 0; i < dims; ++i) {
        sizes.push_back(at("outputSize", size, i, 0, dims));
    }
    has_shape(output, with_last(input, sizes), "the size that was asked for");
}

}  // namespace

void pooled(const Operand& input, const PoolingArguments& a, const Operand& output) {
    pooled(input, a, output, 2);
}

void pooled_3d(const Operand& input, const PoolingArguments& a, const Operand& output) {
    pooled(input, a, output, 3);
}

void adaptively_pooled(const Operand& input, std::span<const int64_t> size, const Operand& output) {
    adaptively_pooled(input, size, output, 2);
}

void adaptively_pooled_by(std::string_view function, const Operand& input, std::span<const int64_t> size,
                          const Operand& output) {
    adaptively_pooled(input, size, output, function.ends_with("3d") ? 3 : 2);
}

void adaptive_gradient(std::string_view function, const Operand& input, const Operand& grad_output) {
    const int64_t dims = function.ends_with("3dBackward") ? 3 : 2;
    has_rank(input, dims + 1, dims + 2);
    has_rank(grad_output, input.rank(), input.rank());
    Shape shape(grad_output.shape().begin(), grad_output.shape().end());
    std::ranges::copy(input.shape().first(static_cast<size_t>(input.rank() - dims)), shape.begin());
    has_shape(grad_output, shape, fmt::format("batch and channels of '{}'", input.name()));
}

void pooling_mask(const Operand& output, const Operand& mask) {
    const auto bytes = mask.elements() * static_cast<int64_t>(item_size(mask.dtype()));
    if (bytes < 2 * output.elements()) {
        invalid(fmt::format("argument '{}' has {} bytes, expected 2 for each of {} elements of the output",
                            mask.name(), bytes, output.elements()));
    }
}

void triple(std::string_view name, std::span<const int64_t> values, int64_t least) {
    if (values.size() != 3 || std::ranges::any_of(values, [&](int64_t value) { return value < least; })) {
        invalid(fmt::format("argument '{}' is {}, expected 3 numbers from {}", name, text(values), least));
    }
}

}  // namespace opweld::npu::aclnn::check
