#include "npu/aclnn/call/check_grid.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {
namespace {

int64_t dimensions(std::string_view function) { return function.ends_with("3D") ? 3 : 2; }

}  // namespace

void affine_grid(const Operand& theta, std::span<const int64_t> size, const Operand& grid) {
    const auto dims = std::ssize(size) - 2;
    if (dims != 2 && dims != 3) {
        invalid(fmt::format("argument 'size' has {} numbers, expected 4 or 5", size.size()));
    }
    const int64_t matrices[] = {size[0], dims, dims + 1};
    has_shape(theta, matrices, "a matrix for each image of 'size'");
    Shape shape(size.begin(), size.end());
    shape.erase(shape.begin() + 1);
    shape.push_back(dims);
    has_shape(grid, shape, "a point for each place of 'size'");
}

void sampled(std::string_view function, const Operand& input, const Operand& grid, const Operand& output) {
    const int64_t dims = dimensions(function);
    has_rank(input, dims + 2, dims + 2);
    has_rank(grid, dims + 2, dims + 2);
    if (grid.size(0) != input.size(0) || grid.size(dims + 1) != dims) {
        invalid(fmt::format("argument '{}' has shape {}, expected [{}, ..., {}] for '{}' {}", grid.name(),
                            text(grid.shape()), input.size(0), dims, input.name(), text(input.shape())));
    }
    Shape shape(grid.shape().begin(), grid.shape().end() - 1);
    shape.insert(shape.begin() + 1, input.size(1));
    has_shape(output, shape, "the input's channels at each point of the grid");
}

void sampling_modes(std::string_view function, int64_t interpolation_mode, int64_t padding_mode) {
    one_of("interpolationMode", interpolation_mode, 0, dimensions(function) == 3 ? 1 : 2);
    one_of("paddingMode", padding_mode, 0, 2);
}

void two_gradients(std::span<const bool> mask) {
    if (mask.size() != 2) {
        invalid(fmt::format("argument 'outputMask' has {} values, expected 2", mask.size()));
    }
}

}  // namespace opweld::npu::aclnn::check
