#include <torch/library.h>

TORCH_LIBRARY_FRAGMENT(my_ops, m) { m.def("scale(Tensor x, float factor) -> Tensor"); }
