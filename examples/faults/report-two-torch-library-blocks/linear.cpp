#include <torch/extension.h>

at::Tensor twice(const at::Tensor& x) { return at::mul(x, 2); }

TORCH_LIBRARY(shared_ops, m) { m.def("twice(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(shared_ops, CompositeImplicitAutograd, m) { m.impl("twice", twice); }
