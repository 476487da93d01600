#include "npu/aclnn/call/check_unary.h"

namespace opweld::npu::aclnn::check {

void magnitude(const Operand& tensor, const Operand& output) {
    if (tensor.dtype() != OPWELD_COMPLEX64 && tensor.dtype() != OPWELD_COMPLEX128) {
        same_dtype(tensor, output);
    }
}

}  // namespace opweld::npu::aclnn::check
