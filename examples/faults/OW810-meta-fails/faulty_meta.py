import torch

library = torch.library.Library("faulty_meta", "DEF")
library.define("scale(Tensor x, float factor) -> Tensor")


def scale(x, factor):
    return x * factor


library.impl("scale", scale, "PrivateUse1")
library.impl("scale", torch.library.fallthrough_kernel, "Autograd")
library.impl("scale", lambda x, factor: torch.empty_likes(x), "Meta")
