import torch

library = torch.library.Library("faulty_memory", "DEF")
library.define("outer(Tensor x) -> Tensor")


def outer(x):
    return x.new_empty(1 << 20, 1 << 20).zero_()


library.impl("outer", outer, "PrivateUse1")
library.impl("outer", torch.library.fallthrough_kernel, "Autograd")
library.impl("outer", lambda x: x.new_empty(1 << 20, 1 << 20), "Meta")
