#include <torch/extension.h>

at::Tensor thrice(const at::Tensor& x) { return at::mul(x, 3); }

TORCH_LIBRARY(shared_ops, m) { m.def("thrice(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(shared_ops, CompositeImplicitAutograd, m) { m.impl("thrice", thrice); }
