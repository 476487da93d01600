#include "npu/aclnn/call/check_shape.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void stacked(const Operands& tensors, int64_t dim, const Operand& output) {
    if (tensors.size() == 0) {
        invalid(fmt::format("list '{}' is empty", tensors.name()));
    }
    const auto shape = tensors[0].shape();
    for (size_t i = 1; i < tensors.size(); ++i) {
        has_shape(tensors[i], shape,
                  fmt::format("the shape of item 0 of '{}' (this is item {})", tensors.name(), i));
    }
    const auto rank = static_cast<int64_t>(shape.size()) + 1;
    if (dim < -rank || dim >= rank) {
        invalid(fmt::format("dimension {} is outside [{}, {}]", dim, -rank, rank - 1));
    }
    Shape stacked_shape(shape.begin(), shape.end());
    stacked_shape.insert(stacked_shape.begin() + (dim < 0 ? dim + rank : dim),
                         static_cast<int64_t>(tensors.size()));
    has_shape(output, stacked_shape, "the shape of the stacked tensors");
}

void concatenated(const Operands& tensors, int64_t dim, const Operand& output) {
    Shape shape;
    size_t first = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
        const auto item = tensors[i].shape();
        if (item.size() == 1 && item[0] == 0) {
            continue;
        }
        if (shape.empty()) {
            has_rank(tensors[i], 1, 8);
            shape.assign(item.begin(), item.end());
            dim = wrap_dim(tensors[i], dim);
            first = i;
            continue;
        }
        const auto along = static_cast<size_t>(dim);
        Shape wanted(shape);
        if (item.size() == shape.size()) {
            wanted[along] = item[along];
            shape[along] += item[along];
        }
        has_shape(tensors[i], wanted,
                  fmt::format("the shape of item {} of '{}' but for dimension {} (this is item {})", first,
                              tensors.name(), dim, i));
    }
    if (tensors.size() == 0) {
        invalid(fmt::format("list '{}' is empty", tensors.name()));
    }
    has_shape(output, shape.empty() ? Shape{0} : shape, "the shape of the joined tensors");
}

}  // namespace opweld::npu::aclnn::check
