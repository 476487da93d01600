import torch

library = torch.library.Library("faulty_strides", "DEF")
library.define("flip(Tensor x) -> Tensor")
library.impl("flip", lambda x: x.clone().t(), "PrivateUse1")
library.impl("flip", lambda x: x.new_empty((x.shape[1], x.shape[0])), "Meta")
library.impl("flip", torch.library.fallthrough_kernel, "Autograd")
