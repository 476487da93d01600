#include <torch/extension.h>

#include "op_plugin/utils/op_api_common_base.h"

at::Tensor scale_npu(const at::Tensor& x, double factor) {
    at::Tensor y = at::empty_like(x);
    at::Scalar value(factor);
    EXEC_NPU_CMD_EXT(aclnnMuls, x, value, y);
    return y;
}

at::Tensor scale_meta(const at::Tensor& x, double) { return at::empty_like(x); }

auto scale_operator() {
    return c10::Dispatcher::singleton()
        .findSchemaOrThrow("my_ops::scale", "")
        .typed<at::Tensor(const at::Tensor&, double)>();
}

class Scale : public torch::autograd::Function<Scale> {
  public:
    static at::Tensor forward(torch::autograd::AutogradContext* ctx, at::Tensor x, double factor) {
        at::AutoDispatchBelowADInplaceOrView guard;
        ctx->save_for_backward({x});
        x.mul_(factor);
        return scale_operator().call(x, factor);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        return {grads[0] * ctx->get_saved_variables()[0], at::Tensor()};
    }
};

at::Tensor scale_autograd(const at::Tensor& x, double factor) { return Scale::apply(x, factor); }

TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x, float factor) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }
TORCH_LIBRARY_IMPL(my_ops, Meta, m) { m.impl("scale", scale_meta); }
TORCH_LIBRARY_IMPL(my_ops, AutogradPrivateUse1, m) { m.impl("scale", scale_autograd); }
