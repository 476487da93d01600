#include <torch/extension.h>

#include "op_plugin/utils/op_api_common_base.h"

at::Tensor scale_npu(const at::Tensor& x, double factor) {
    at::Tensor y = at::empty_like(x);
    at::Scalar value(factor);
    EXEC_NPU_CMD_EXT(aclnnMuls, x, value, y);
    return y;
}

TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x, float factor) -> Tensor", scale_npu); }
