#include "npu/aclnn/call/check_sorting.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {
namespace {

constexpr int64_t kFlattened = 1000;

int64_t size_along(const Operand& self, int64_t dim) {
    const int64_t axis = wrap_dim(self, dim);
    return self.rank() == 0 ? 1 : self.size(axis);
}

}  // namespace

void place_along(const Operand& self, int64_t k, int64_t dim) {
    if (const int64_t size = size_along(self, dim); k < 1 || k > size) {
        invalid(fmt::format("argument 'k' is {}, expected 1 to {}, the size of '{}' in dimension {}", k, size,
                            self.name(), dim));
    }
}

void topmost(const Operand& self, int64_t k, int64_t dim, const Operand& values) {
    if (const int64_t size = size_along(self, dim); k < 0 || k > size) {
        invalid(fmt::format("argument 'k' is {}, expected 0 to {}, the size of '{}' in dimension {}", k, size,
                            self.name(), dim));
    }
    Shape shape(self.shape().begin(), self.shape().end());
    if (!shape.empty()) {
        shape[static_cast<size_t>(wrap_dim(self, dim))] = k;
    }
    has_shape(values, shape, "the shape of self with k places in dimension 'dim'");
}

void inverse_of(const Operand& self, bool wanted, const Operand& inverse) {
    if (wanted) {
        same_shape(self, inverse);
    }
}

void inverse_along(const Operand& self, bool wanted, int64_t dim, const Operand& inverse) {
    if (dim == kFlattened) {
        inverse_of(self, wanted, inverse);
    } else if (const int64_t size = size_along(self, dim); wanted) {
        has_shape(inverse, Shape{size}, "the size of self in dimension 'dim'");
    }
}

}  // namespace opweld::npu::aclnn::check
