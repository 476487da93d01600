// Checks of functions that read or write by index tensors.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_amp.h"

namespace opweld::npu::aclnn::check {

// `index` picks one element along `dim` for each of its places: ranks agree, other sizes fit into self's.
void picked(const Operand& self, int64_t dim, const Operand& index, const Operand& out);

// `index` is a list of places along `dim`; `out` is self with these places in their stead.
void selected(const Operand& self, int64_t dim, const Operand& index, const Operand& out);
void along(const Operand& self, int64_t dim, const Operand& index, const Operand& source);

// Each of `index` is a place along `dim`, counted from either end.
void are_places(std::span<const int64_t> index, const Operand& self, int64_t dim);

// An index tensor (or [0] for "all") for each leading dimension; `values` broadcast to what they name.
// Masks among them make the shape depend on data, so that it is left to the kernel.
void indexed(const Operand& self, const Operands& indices, const Operand& values);

}  // namespace opweld::npu::aclnn::check
