// Checks of the embedding bags.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// `output` has one row of the table's width for each bag.
void bags(const Operand& table, const Operand& offsets, bool include_last_offset, const Operand& output);

}  // namespace opweld::npu::aclnn::check
