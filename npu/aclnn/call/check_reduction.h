// Checks of reductions.
#pragma once

#include <cstdint>
#include <span>

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

// An extreme needs an element: no dimension of `dims` (none means all) has size 0.
void has_extreme(const Operand& tensor, std::span<const int64_t> dims);
void has_extreme(const Operand& tensor, int64_t dim);
void has_extreme(const Operand& tensor);

// The norm of nothing is 0, but for orders that look for an extreme.
void has_norm(const Operand& tensor, const Number& order, std::span<const int64_t> dims);

// `min` is not above `max`.
void histogram_range(const Number& min, const Number& max);

}  // namespace opweld::npu::aclnn::check
