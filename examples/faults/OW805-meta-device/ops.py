import torch

library = torch.library.Library("my_ops", "DEF")
library.define("scale(Tensor x, float factor) -> Tensor")


def scale(x, factor):
    return x * factor


library.impl("scale", scale, "PrivateUse1")
library.impl("scale", torch.library.fallthrough_kernel, "Autograd")


@torch.library.register_fake("my_ops::scale")
def _(x, factor):
    return torch.empty(x.shape, dtype=x.dtype)
