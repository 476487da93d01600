// Checks of functions that order elements.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_indexing.h"

namespace opweld::npu::aclnn::check {

// `k` is a place (from 1 on) along `dim`.
void place_along(const Operand& self, int64_t k, int64_t dim);
// `values` is self with its first k places along `dim`.
void topmost(const Operand& self, int64_t k, int64_t dim, const Operand& values);

// `inverse` has a place for each element of self, or for each along `dim`, if it is wanted.
void inverse_of(const Operand& self, bool wanted, const Operand& inverse);
void inverse_along(const Operand& self, bool wanted, int64_t dim, const Operand& inverse);

}  // namespace opweld::npu::aclnn::check
