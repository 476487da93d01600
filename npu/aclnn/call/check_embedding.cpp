#include "npu/aclnn/call/check_embedding.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void rows_of(const Operand& table, const Operand& indices, const Operand& rows) {
    Shape shape(indices.shape().begin(), indices.shape().end());
    shape.push_back(table.size(1));
    has_shape(rows, shape, "a row of the table for each index");
}

void row_count(int64_t rows, const Operand& table) {
    if (rows != table.size(0)) {
        invalid(fmt::format("argument 'numWeights' is {}, but '{}' has {} rows", rows, table.name(),
                            table.size(0)));
    }
}

}  // namespace opweld::npu::aclnn::check
