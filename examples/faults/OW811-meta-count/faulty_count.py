import torch

library = torch.library.Library("faulty_count", "DEF")
library.define("halves(Tensor x) -> Tensor[]")
library.impl("halves", lambda x: [x / 2, x / 2], "PrivateUse1")
library.impl("halves", lambda x: [torch.empty_like(x)], "Meta")
library.impl("halves", torch.library.fallthrough_kernel, "Autograd")
