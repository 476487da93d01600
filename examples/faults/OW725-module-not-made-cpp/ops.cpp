#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor scale(const at::Tensor& x) { return x * 2; }

TORCH_LIBRARY(faulty_ops, m) { m.def("scale(Tensor x) -> Tensor", scale); }
