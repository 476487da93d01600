#include "npu/aclnn/call/check_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opweld::npu::aclnn::check {

void has_extreme(const Operand& tensor, std::span<const int64_t> dims) {
    const auto refuse_empty = [&](int64_t dim) {
        if (tensor.size(dim) == 0) {
            invalid(fmt::format("argument '{}' has shape {}: there is nothing to choose from in dimension {}",
                                tensor.name(), text(tensor.shape()), dim));
        }
    };
    if (tensor.rank() == 0) {
        return;
    }
    for (const int64_t dim : dims) {
        refuse_empty(wrap_dim(tensor, dim));
    }
    for (int64_t dim = 0; dims.empty() && dim < tensor.rank(); ++dim) {
        refuse_empty(dim);
    }
}

void has_extreme(const Operand& tensor, int64_t dim) { has_extreme(tensor, std::span(&dim, 1)); }

void has_extreme(const Operand& tensor) { has_extreme(tensor, std::span<const int64_t>()); }

void has_norm(const Operand& tensor, const Number& order, std::span<const int64_t> dims) {
    if (const double value = as_double(order); value < 0 || std::isinf(value)) {
        has_extreme(tensor, dims);
    }
}

void histogram_range(const Number& min, const Number& max) {
    if (const double least = as_double(min), greatest = as_double(max); !(least <= greatest)) {
        invalid(fmt::format("arguments '{}' and '{}' are {} and {}, expected them in this order", min.name(),
                            max.name(), least, greatest));
    }
}

}  // namespace opweld::npu::aclnn::check
