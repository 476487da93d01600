import torch

library = torch.library.Library("my_ops", "DEF")
library.define("scale(Tensor x, float factor) -> Tensor")


def scale(x, factor):
    return x * factor


library.impl("scale", scale, "PrivateUse1")
library.impl("scale", torch.library.fallthrough_kernel, "Autograd")
