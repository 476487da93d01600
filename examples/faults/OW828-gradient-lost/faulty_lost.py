import torch

library = torch.library.Library("faulty_lost", "DEF")
library.define("scale(Tensor x) -> Tensor")
library.impl("scale", lambda x: x * 2, "PrivateUse1")
library.impl("scale", lambda x: torch.empty_like(x), "Meta")


def autograd(keys, x):
    with torch._C._AutoDispatchBelowAutograd():
        return torch.ops.faulty_lost.scale(x)


library.impl("scale", autograd, "Autograd", with_keyset=True)
