#include "npu/aclnn/call/check_interpolation.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

void positive_sizes(const char* name, std::span<const int64_t> sizes) {
    if (std::ranges::any_of(sizes, [](int64_t size) { return size <= 0; })) {
        invalid(fmt::format("argument '{}' is {}, expected positive sizes", name, text(sizes)));
    }
}

void count(const char* name, std::span<const int64_t> numbers, int64_t expected) {
    if (std::ssize(numbers) != expected) {
        invalid(fmt::format("argument '{}' has {} numbers, expected {}", name, numbers.size(), expected));
    }
}

}  // namespace

void resized(const Operand& input, std::span<const int64_t> size, int64_t dims, const Operand& output) {
    has_rank(input, dims + 2, dims + 2);
    count("outputSize", size, dims);
    positive_sizes("outputSize", size);
    positive_sizes(std::string(input.name()).c_str(), input.shape().subspan(2));
    Shape shape = {input.size(0), input.size(1)};
    shape.insert(shape.end(), size.begin(), size.end());
    has_shape(output, shape, "batch and channels of the input and 'outputSize'");
    same_dtype(input, output);
}

void resized_gradient(const Operand& grad_output, std::span<const int64_t> output_size,
                      std::span<const int64_t> input_size, int64_t dims, const Operand& grad_input) {
    has_rank(grad_output, dims + 2, dims + 2);
    count("outputSize", output_size, dims);
    count("inputSize", input_size, dims + 2);
    positive_sizes("outputSize", output_size);
    positive_sizes("inputSize", input_size.subspan(2));
    Shape shape(input_size.begin(), input_size.begin() + 2);
    shape.insert(shape.end(), output_size.begin(), output_size.end());
    has_shape(grad_output, shape, "batch and channels of 'inputSize' and 'outputSize'");
    has_shape(grad_input, input_size, "'inputSize'");
    same_dtype(grad_output, grad_input);
}

void scales_fit(std::span<const int64_t> sizes, std::span<const int64_t> output_sizes,
                std::initializer_list<double> scales) {
    size_t dim = 0;
    for (const double scale : scales) {
        const auto size = static_cast<double>(sizes[dim]);
        const auto last = static_cast<double>(output_sizes[dim]) - 0.5;
        if (scale > 0 && last / scale > size) {
            invalid(fmt::format("scale {} leads from place {} of the output beyond the input, which has {}",
                                scale, output_sizes[dim] - 1, sizes[dim]));
        }
        ++dim;
    }
}

}  // namespace opweld::npu::aclnn::check
