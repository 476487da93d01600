#include <torch/library.h>
#include <ATen/ATen.h>

at::Tensor scale(const at::Tensor& x) { return x * 2; }

TORCH_LIBRARY(faulty_ops, m) { m.def("scale(Tensor x) -> Tensor", scale); }
