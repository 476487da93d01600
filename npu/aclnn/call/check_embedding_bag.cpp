#include "npu/aclnn/call/check_embedding_bag.h"

namespace opweld::npu::aclnn::check {

void bags(const Operand& table, const Operand& offsets, bool include_last_offset, const Operand& output) {
    const int64_t count = offsets.size(0) - (include_last_offset ? 1 : 0);
    if (count < 0) {
        invalid("argument 'offsets' is empty, expected the end of the last bag ('includeLastOffset')");
    }
    has_shape(output, Shape{count, table.size(1)}, "a row of the table's width for each bag");
}

}  // namespace opweld::npu::aclnn::check
