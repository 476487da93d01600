// Checks of cumulative functions.
#pragma once

#include "npu/aclnn/call/check_dtype.h"

namespace opweld::npu::aclnn::check {

// A dimension that comes as a scalar.
inline int64_t wrap_dim(const Operand& tensor, const Number& dim) {
    if (dim.value().dtype != OPWELD_INT64) {
        invalid("argument 'dim' is no integer");
    }
    return wrap_dim(tensor, dim.value().integer);
}

}  // namespace opweld::npu::aclnn::check
