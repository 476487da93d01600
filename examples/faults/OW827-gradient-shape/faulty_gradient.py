import torch

library = torch.library.Library("faulty_gradient", "DEF")
library.define("scale(Tensor x) -> Tensor")
library.impl("scale", lambda x: x * 2, "PrivateUse1")
library.impl("scale", lambda x: torch.empty_like(x), "Meta")


def backward(ctx, grad):
    return grad.sum(0) * 2


torch.library.register_autograd("faulty_gradient::scale", backward)
