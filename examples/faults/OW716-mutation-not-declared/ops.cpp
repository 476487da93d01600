#include <torch/extension.h>

#include "op_plugin/utils/op_api_common_base.h"

at::Tensor scale_npu(at::Tensor& x, double factor) {
    at::Scalar value(factor);
    EXEC_NPU_CMD_EXT(aclnnInplaceMuls, x, value);
    return x;
}

at::Tensor scale_meta(const at::Tensor& x, double) { return at::empty_like(x); }

TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x, float factor) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }
TORCH_LIBRARY_IMPL(my_ops, Meta, m) { m.impl("scale", scale_meta); }
TORCH_LIBRARY_IMPL(my_ops, Autograd, m) {
    m.impl("scale", torch::autograd::autogradNotImplementedFallback());
}
