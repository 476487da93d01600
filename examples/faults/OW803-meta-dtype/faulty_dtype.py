import torch

library = torch.library.Library("faulty_dtype", "DEF")
library.define("positive(Tensor x) -> Tensor")
library.impl("positive", lambda x: x > 0, "PrivateUse1")
library.impl("positive", lambda x: torch.empty_like(x), "Meta")
library.impl("positive", torch.library.fallthrough_kernel, "Autograd")
