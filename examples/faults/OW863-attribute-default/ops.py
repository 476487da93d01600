import torch

library = torch.library.Library("my_ops", "DEF")
library.define("scale(Tensor x, *, float factor=1.0) -> Tensor")
library.impl("scale", lambda x, *, factor=1.0: x * factor, "PrivateUse1")
library.impl("scale", lambda x, *, factor=1.0: torch.empty_like(x), "Meta")
library.impl("scale", torch.library.fallthrough_kernel, "Autograd")
