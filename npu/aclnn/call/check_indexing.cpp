#include "npu/aclnn/call/check_indexing.h"

#include <fmt/format.h>

#include <algorithm>

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn::check {
namespace {

void same_rank(const Operand& self, const Operand& tensor) {
    if (std::max<int64_t>(self.rank(), 1) != std::max<int64_t>(tensor.rank(), 1)) {
        invalid(fmt::format("argument '{}' has shape {}, expected as many dimensions as '{}' {} has",
                            tensor.name(), text(tensor.shape()), self.name(), text(self.shape())));
    }
}

Shape with_size(const Operand& self, int64_t dim, int64_t size) {
    Shape shape(self.shape().begin(), self.shape().end());
    if (!shape.empty()) {
        shape[static_cast<size_t>(wrap_dim(self, dim))] = size;
    }
    return shape;
}

bool is_mask(const Operand& index) { return index.dtype() == OPWELD_BOOL || index.dtype() == OPWELD_UINT8; }

bool stands_for_all(const Operand& index, const Operand& self) {
    return index.rank() == 1 && index.elements() == 0 && index.dtype() == self.dtype();
}

Shape joined(const Shape& a, std::span<const int64_t> b, const Operands& indices) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (size_t i = 0; i < result.size(); ++i) {
        const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) {
            invalid(fmt::format("the index tensors of '{}' don't broadcast: {} and {}", indices.name(),
                                text(a), text(b)));
        }
        result[result.size() - 1 - i] = x == 1 ? y : x;
    }
    return result;
}

void broadcasts(std::span<const int64_t> shape, const Shape& target, const Operand& values) {
    bool fits = shape.size() <= target.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) {
        const int64_t size = shape[shape.size() - 1 - i];
        fits = size == 1 || size == target[target.size() - 1 - i];
    }
    if (!fits) {
        invalid(fmt::format("argument '{}' has shape {}, expected {}, the shape of what the indices name",
                            values.name(), text(shape), text(target)));
    }
}

}  // namespace

void picked(const Operand& self, int64_t dim, const Operand& index, const Operand& out) {
    same_shape(index, out);
    const int64_t axis = wrap_dim(self, dim);
    if (index.elements() == 0) {
        return;
    }
    same_rank(self, index);
    for (int64_t i = 0; i < std::min(self.rank(), index.rank()); ++i) {
        if (i != axis && index.size(i) > self.size(i)) {
            invalid(
                fmt::format("argument 'index' has shape {}, which is greater than '{}' {} in dimension {}",
                            text(index.shape()), self.name(), text(self.shape()), i));
        }
    }
}

void selected(const Operand& self, int64_t dim, const Operand& index, const Operand& out) {
    wrap_dim(self, dim);
    has_rank(index, 0, 1);
    has_shape(out, with_size(self, dim, index.elements()),
              "self with the indices' number in dimension 'dim'");
}

void along(const Operand& self, int64_t dim, const Operand& index, const Operand& source) {
    wrap_dim(self, dim);
    has_rank(index, 0, 1);
    if (self.rank() == 0 || source.rank() == 0) {
        if (source.elements() != index.elements()) {
            same_elements(index, source);
        }
        return;
    }
    has_shape(source, with_size(self, dim, index.elements()),
              "self with the indices' number in dimension 'dim'");
}

void are_places(std::span<const int64_t> index, const Operand& self, int64_t dim) {
    const int64_t along = wrap_dim(self, dim);
    const int64_t size = self.rank() == 0 ? 1 : self.size(along);
    for (const int64_t place : index) {
        if (place < -size || place >= size) {
            invalid(fmt::format("argument 'index' has the value {}, which is outside [{}, {})", place, -size,
                                size));
        }
    }
}

void indexed(const Operand& self, const Operands& indices, const Operand& values) {
    const auto count = static_cast<int64_t>(indices.size());
    if (count == 0 || count > self.rank()) {
        invalid(fmt::format("list '{}' has {} index tensors, expected 1 to {}, the dimensions of '{}'",
                            indices.name(), count, self.rank(), self.name()));
    }
    bool masks = false;
    bool all_empty = true;
    for (size_t i = 0; i < indices.size(); ++i) {
        const Operand index = indices[i];
        all_empty = all_empty && index.elements() == 0;
        masks = masks || is_mask(index);
        if (!is_mask(index) && !stands_for_all(index, self) && index.dtype() != OPWELD_INT64 &&
            index.dtype() != OPWELD_INT32) {
            invalid(fmt::format("item {} of '{}' has dtype {}, expected int64, int32, bool or uint8", i,
                                indices.name(), dtype_name(index.dtype())));
        }
    }
    if (masks || all_empty) {
        return;
    }
    Shape named;
    std::vector<bool> used(static_cast<size_t>(self.rank()), false);
    for (size_t i = 0; i < indices.size(); ++i) {
        if (!stands_for_all(indices[i], self)) {
            named = joined(named, indices[i].shape(), indices);
            used[i] = true;
        }
    }
    const auto first = std::ranges::find(used, true);
    const auto gap = std::find(first, used.end(), false);
    const bool adjacent = std::find(gap, used.end(), true) == used.end();
    Shape target;
    if (!adjacent) {
        target = named;
    }
    for (size_t i = 0; i < used.size(); ++i) {
        if (adjacent && i == static_cast<size_t>(first - used.begin())) {
            target.insert(target.end(), named.begin(), named.end());
        }
        if (!used[i]) {
            target.push_back(self.size(static_cast<int64_t>(i)));
        }
    }
    broadcasts(values.shape(), target, values);
}

}  // namespace opweld::npu::aclnn::check
