// torch's element types and those of the kernel interface.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include "opweld/kernel.h"

namespace opweld::torch_support {

// Throws c10::Error for an element type that kernels cannot have (quantized and bit types).
inline OpweldDType to_opweld(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return OPWELD_FLOAT32;
        case at::kHalf:
            return OPWELD_FLOAT16;
        case at::kBFloat16:
            return OPWELD_BFLOAT16;
        case at::kDouble:
            return OPWELD_FLOAT64;
        case at::kChar:
            return OPWELD_INT8;
        case at::kShort:
            return OPWELD_INT16;
        case at::kInt:
            return OPWELD_INT32;
        case at::kLong:
            return OPWELD_INT64;
        case at::kByte:
            return OPWELD_UINT8;
        case at::kUInt16:
            return OPWELD_UINT16;
        case at::kUInt32:
            return OPWELD_UINT32;
        case at::kUInt64:
            return OPWELD_UINT64;
        case at::kBool:
            return OPWELD_BOOL;
        case at::kComplexFloat:
            return OPWELD_COMPLEX64;
        case at::kComplexDouble:
            return OPWELD_COMPLEX128;
        default:
            TORCH_CHECK_TYPE(false, "tensors of ", type, " cannot be given to an opweld kernel");
    }
}

}  // namespace opweld::torch_support
