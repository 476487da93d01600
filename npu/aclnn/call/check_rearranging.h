// Checks of functions that arrange elements anew.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_indexing.h"

namespace opweld::npu::aclnn::check {

// Each is a dimension of the tensor, none twice.
void dimensions(const Operand& self, std::span<const int64_t> dims);
// As many shifts as dimensions, or one shift without dimensions.
void rolled(std::span<const int64_t> shifts, std::span<const int64_t> dims);
void repeated(const Operand& self, std::span<const int64_t> repeats, const Operand& out);
void divides(std::string_view name, int64_t value, const Operand& self, int64_t dim);

// `out` is one-dimensional and has this size.
void flat(const Operand& out, int64_t size);

// `out` is self with another size along `dim`: the one given, or any.
void with_length(const Operand& self, int64_t dim, int64_t size, const Operand& out);
void but_for_length(const Operand& self, int64_t dim, const Operand& out);

// One number of repeats, or one for each.
void repeats_for(int64_t count, const Operand& repeats);
void repeats_along(const Operand& self, int64_t dim, const Operand& repeats);

// `out` is self with a dimension of `depth` classes inserted at `axis`.
void with_classes(const Operand& self, int64_t depth, int64_t axis, const Operand& out);

void split(const Operand& self, std::span<const int64_t> sizes, int64_t dim, const Operands& out);
void sliced(const Operand& self, std::span<const int64_t> begin, std::span<const int64_t> end,
            std::span<const int64_t> strides);

// Two numbers each: height and width of windows, positive where they must be.
void pair(std::string_view name, std::span<const int64_t> values);
void windows(std::span<const int64_t> kernel_size, std::span<const int64_t> dilation,
             std::span<const int64_t> padding, std::span<const int64_t> stride);

// Each tensor gives `count` parts along `dim`, and the output has one place for each.
void chunks(const Operands& tensors, int64_t dim, int64_t count, const Operand& out);

// The gradient of all slices of `size` along a dimension of the output.
void unfolded(const Operand& grad, const Operand& out, int64_t dim, int64_t size, int64_t step);

}  // namespace opweld::npu::aclnn::check
