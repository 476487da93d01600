#include <torch/extension.h>

at::Tensor scale(const at::Tensor& x) { return x * 2; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale); }
