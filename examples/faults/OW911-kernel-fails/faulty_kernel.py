import torch

library = torch.library.Library("faulty_kernel", "DEF")
library.define("scale(Tensor x, float factor) -> Tensor")


def scale(x, factor):
    return x @ torch.ones(7, 7, device=x.device)


library.impl("scale", scale, "PrivateUse1")
library.impl("scale", torch.library.fallthrough_kernel, "Autograd")
library.impl("scale", lambda x, factor: torch.empty_like(x), "Meta")
