// Checks of functions that write to places along one dimension.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// `index` names a place along `dim` for each of its elements, for which `source` has a value.
void scatter_places(const Operand& self, int64_t dim, const Operand& index);
void scattered(const Operand& self, int64_t dim, const Operand& index, const Operand& source);

// What InplaceScatterUpdate takes: a start along `axis` for each item of `updates`, or pairs (item, start).
void update_along(const Operand& self, const Operand& indices, const Operand& updates, int64_t axis);

// What ScatterNdUpdate takes: rows of leading indices, and a slice of self for each.
void update_slices(const Operand& self, const Operand& indices, const Operand& updates);

}  // namespace opweld::npu::aclnn::check
