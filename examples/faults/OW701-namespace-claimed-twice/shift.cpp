#include <torch/extension.h>

at::Tensor shift(const at::Tensor& x) { return at::add(x, 1); }

TORCH_LIBRARY(my_ops, m) { m.def("shift(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_ops, CompositeImplicitAutograd, m) { m.impl("shift", shift); }
