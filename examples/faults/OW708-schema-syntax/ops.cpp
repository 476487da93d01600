#include <torch/extension.h>

#include "op_plugin/utils/op_api_common_base.h"

at::Tensor scale_npu(const at::Tensor& x, double factor) {
    at::Tensor y = at::empty_like(x);
    at::Scalar value(factor);
    EXEC_NPU_CMD_EXT(aclnnMuls, x, value, y);
    return y;
}

at::Tensor scale_meta(const at::Tensor& x, double) { return at::empty_like(x); }

TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x, double factor) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }
TORCH_LIBRARY_IMPL(my_ops, Meta, m) { m.impl("scale", scale_meta); }
TORCH_LIBRARY_IMPL(my_ops, Autograd, m) {
    m.impl("scale", torch::autograd::autogradNotImplementedFallback());
}
