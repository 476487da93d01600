#include "npu/aclnn/call/check_unary.h"

#include <fmt/format.h>

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn::check {

void magnitude(const Operand& tensor, const Operand& output) {
    if (tensor.dtype() != OPWELD_COMPLEX64 && tensor.dtype() != OPWELD_COMPLEX128) {
        same_dtype(tensor, output);
    }
}

void rounds_to(int64_t decimals, const Operand& tensor) {
    if (decimals != 0 && is_integral(tensor.dtype())) {
        invalid(fmt::format("argument 'decimals' is {}, expected 0 for '{}', which is {}", decimals,
                            tensor.name(), dtype_name(tensor.dtype())));
    }
}

}  // namespace opweld::npu::aclnn::check
