// Checks of the embeddings.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// `rows` has the shape of the indices and, as its last size, the table's width.
void rows_of(const Operand& table, const Operand& indices, const Operand& rows);

void row_count(int64_t rows, const Operand& table);

}  // namespace opweld::npu::aclnn::check
