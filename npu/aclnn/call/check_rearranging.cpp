#include "npu/aclnn/call/check_rearranging.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

void all_at_least(std::string_view name, std::span<const int64_t> values, int64_t minimum) {
    pair(name, values);
    for (const int64_t value : values) {
        at_least(name, static_cast<double>(value), static_cast<double>(minimum));
    }
}

Shape with_size(const Operand& self, int64_t dim, int64_t size) {
    Shape shape(self.shape().begin(), self.shape().end());
    const auto axis = static_cast<size_t>(wrap_dim(self, dim));
    if (shape.empty()) {
        return {size};
    }
    shape[axis] = size;
    return shape;
}

}  // namespace

void dimensions(const Operand& self, std::span<const int64_t> dims) {
    std::vector<bool> seen(static_cast<size_t>(std::max<int64_t>(self.rank(), 1)), false);
    for (const int64_t dim : dims) {
        const auto axis = static_cast<size_t>(wrap_dim(self, dim));
        if (seen[axis]) {
            invalid(fmt::format("dimension {} of '{}' is given twice: {}", dim, self.name(), text(dims)));
        }
        seen[axis] = true;
    }
}

void rolled(std::span<const int64_t> shifts, std::span<const int64_t> dims) {
    if (shifts.size() != std::max<size_t>(dims.size(), 1)) {
        invalid(fmt::format("argument 'shifts' has {} numbers, expected {}, as 'dims' {}", shifts.size(),
                            std::max<size_t>(dims.size(), 1), text(dims)));
    }
}

void repeated(const Operand& self, std::span<const int64_t> repeats, const Operand& out) {
    const auto rank = static_cast<size_t>(self.rank());
    if (repeats.size() < rank) {
        invalid(fmt::format("argument 'repeats' has {} numbers, but '{}' has {} dimensions", repeats.size(),
                            self.name(), rank));
    }
    Shape shape(repeats.begin(), repeats.end());
    for (size_t i = 0; i < shape.size(); ++i) {
        at_least("repeats", static_cast<double>(shape[i]), 0);
        if (const size_t before = shape.size() - rank; i >= before) {
            shape[i] *= self.shape()[i - before];
        }
    }
    has_shape(out, shape, "the shape of self times 'repeats'");
}

void divides(std::string_view name, int64_t value, const Operand& self, int64_t dim) {
    if (value < 1 || self.size(dim) % value != 0) {
        invalid(fmt::format("argument '{}' is {}, expected a divisor of {}, the size of '{}' in dimension {}",
                            name, value, self.size(dim), self.name(), dim));
    }
}

void flat(const Operand& out, int64_t size) { has_shape(out, Shape{size}, "argument 'outputSize'"); }

void with_length(const Operand& self, int64_t dim, int64_t size, const Operand& out) {
    has_shape(out, with_size(self, dim, size), "self with argument 'outputSize' in dimension 'dim'");
}

void but_for_length(const Operand& self, int64_t dim, const Operand& out) {
    has_rank(self, 1, 8);
    const auto axis = static_cast<size_t>(wrap_dim(self, dim));
    const int64_t size = out.rank() == self.rank() ? out.shape()[axis] : -1;
    has_shape(out, with_size(self, dim, size), "self but for the given dimension");
}

void repeats_for(int64_t count, const Operand& repeats) {
    has_rank(repeats, 0, 1);
    if (repeats.elements() != 1 && repeats.elements() != count) {
        invalid(
            fmt::format("argument 'repeats' has {} numbers, expected 1 or {}", repeats.elements(), count));
    }
}

void repeats_along(const Operand& self, int64_t dim, const Operand& repeats) {
    const int64_t axis = wrap_dim(self, dim);
    repeats_for(self.rank() == 0 ? 1 : self.size(axis), repeats);
}

void with_classes(const Operand& self, int64_t depth, int64_t axis, const Operand& out) {
    const int64_t rank = self.rank() + 1;
    if (axis < -1 || axis >= rank) {
        invalid(fmt::format("argument 'axis' is {}, expected -1 to {}", axis, rank - 1));
    }
    Shape shape(self.shape().begin(), self.shape().end());
    shape.insert(shape.begin() + (axis < 0 ? rank - 1 : axis), depth);
    has_shape(out, shape, "self with 'depth' in dimension 'axis'");
}

void split(const Operand& self, std::span<const int64_t> sizes, int64_t dim, const Operands& out) {
    has_rank(self, 1, 8);
    const int64_t axis = wrap_dim(self, dim);
    if (out.size() != sizes.size()) {
        invalid(fmt::format("list '{}' has {} tensors, expected {}, as many as 'splitSizes'", out.name(),
                            out.size(), sizes.size()));
    }
    int64_t total = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
        at_least("splitSizes", static_cast<double>(sizes[i]), 0);
        has_shape(out[i], with_size(self, dim, sizes[i]), "the part of self that 'splitSizes' says");
        same_dtype(self, out[i]);
        total += sizes[i];
    }
    if (total != self.size(axis)) {
        invalid(
            fmt::format("argument 'splitSizes' adds up to {}, expected {}, the size of '{}' in dimension {}",
                        total, self.size(axis), self.name(), dim));
    }
}

void sliced(const Operand& self, std::span<const int64_t> begin, std::span<const int64_t> end,
            std::span<const int64_t> strides) {
    has_rank(self, 1, 8);
    if (begin.size() != end.size() || begin.size() != strides.size() || begin.size() > 16) {
        invalid(fmt::format("arguments 'begin', 'end' and 'strides' have {}, {} and {} numbers", begin.size(),
                            end.size(), strides.size()));
    }
    if (std::ranges::find(strides, 0) != strides.end()) {
        invalid("argument 'strides' has the value 0");
    }
}

void pair(std::string_view name, std::span<const int64_t> values) {
    if (values.size() != 2) {
        invalid(fmt::format("argument '{}' has {} numbers, expected 2", name, values.size()));
    }
}

void windows(std::span<const int64_t> kernel_size, std::span<const int64_t> dilation,
             std::span<const int64_t> padding, std::span<const int64_t> stride) {
    all_at_least("kernelSize", kernel_size, 1);
    all_at_least("dilation", dilation, 1);
    all_at_least("padding", padding, 0);
    all_at_least("stride", stride, 1);
}

void chunks(const Operands& tensors, int64_t dim, int64_t count, const Operand& out) {
    if (tensors.size() == 0) {
        invalid(fmt::format("argument '{}' is empty, expected at least one tensor", tensors.name()));
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
        same_dtype(tensors[0], tensors[i]);
        one_of("dim", dim, 0, tensors[i].rank() - 1);
    }
    if (count < 1 || dim >= out.rank() || out.size(dim) != count) {
        invalid(fmt::format("argument '{}' has shape {}, expected 'numChunks', {}, places along dimension {}",
                            out.name(), text(out.shape()), count, dim));
    }
}

void unfolded(const Operand& grad, const Operand& out, int64_t dim, int64_t size, int64_t step) {
    Shape shape(out.shape().begin(), out.shape().end());
    const auto along = static_cast<size_t>(wrap_dim(out, dim));
    const int64_t length = shape.empty() ? 1 : shape[along];
    if (size > length) {
        invalid(fmt::format("argument 'size' is {}, expected at most {}, the length of dimension {} of '{}'",
                            size, length, dim, out.name()));
    }
    if (!shape.empty()) {
        shape[along] = (length - size) / step + 1;
    }
    shape.push_back(size);
    has_shape(grad, shape, fmt::format("for slices of {} {} apart", size, step));
}

}  // namespace opweld::npu::aclnn::check
