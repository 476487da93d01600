import torch

library = torch.library.Library("faulty_shape", "DEF")
library.define("total(Tensor x) -> Tensor")
library.impl("total", lambda x: x.sum(0), "PrivateUse1")
library.impl("total", lambda x: torch.empty_like(x), "Meta")
library.impl("total", torch.library.fallthrough_kernel, "Autograd")
