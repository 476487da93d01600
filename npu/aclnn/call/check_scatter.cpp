#include "npu/aclnn/call/check_scatter.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

int64_t size_of(const Operand& tensor, int64_t dim) { return tensor.rank() == 0 ? 1 : tensor.size(dim); }

void fits(const Operand& index, const Operand& other, int64_t except) {
    const int64_t rank = std::max<int64_t>(index.rank(), 1);
    if (rank != std::max<int64_t>(other.rank(), 1)) {
        invalid(fmt::format("argument '{}' has shape {}, expected as many dimensions as '{}' {} has",
                            index.name(), text(index.shape()), other.name(), text(other.shape())));
    }
    for (int64_t i = 0; i < rank; ++i) {
        if (i != except && size_of(index, i) > size_of(other, i)) {
            invalid(fmt::format("argument '{}' has shape {}, which is greater than '{}' {} in dimension {}",
                                index.name(), text(index.shape()), other.name(), text(other.shape()), i));
        }
    }
}

}  // namespace

void scatter_places(const Operand& self, int64_t dim, const Operand& index) {
    const int64_t axis = wrap_dim(self, dim);
    if (index.elements() != 0) {
        fits(index, self, axis);
    }
}

void scattered(const Operand& self, int64_t dim, const Operand& index, const Operand& source) {
    scatter_places(self, dim, index);
    if (index.elements() != 0) {
        fits(index, source, -1);
    }
}

void update_along(const Operand& self, const Operand& indices, const Operand& updates, int64_t axis) {
    has_rank(self, 2, 8);
    has_rank(indices, 1, 2);
    const int64_t dim = wrap_dim(self, axis);
    if (dim == 0) {
        invalid("argument 'axis' is the first dimension, which the items are counted along");
    }
    const bool pairs = indices.rank() == 2;
    if (pairs && indices.size(1) != 2) {
        invalid(
            fmt::format("argument 'indices' has shape {}, expected [n] or [n, 2]", text(indices.shape())));
    }
    Shape wanted(self.shape().begin(), self.shape().end());
    wanted[0] = indices.size(0);
    if (updates.rank() == self.rank() && updates.size(dim) <= self.size(dim)) {
        wanted[static_cast<size_t>(dim)] = updates.size(dim);
    }
    has_shape(updates, wanted, "an item of self, or a part of it along 'axis', for each index");
    if (!pairs && indices.size(0) > self.size(0)) {
        invalid(fmt::format("argument 'indices' has {} items, but '{}' has {}", indices.size(0), self.name(),
                            self.size(0)));
    }
}

void update_slices(const Operand& self, const Operand& indices, const Operand& updates) {
    has_rank(indices, 1, 8);
    const auto rows = indices.shape();
    const int64_t depth = rows.back();
    if (depth < 1 || depth > self.rank()) {
        invalid(fmt::format("the last size of 'indices' is {}, expected 1 to {}, the dimensions of '{}'",
                            depth, self.rank(), self.name()));
    }
    Shape wanted(rows.begin(), rows.end() - 1);
    wanted.insert(wanted.end(), self.shape().begin() + depth, self.shape().end());
    has_shape(updates, wanted, "a slice of self for each row of 'indices'");
}

}  // namespace opweld::npu::aclnn::check
