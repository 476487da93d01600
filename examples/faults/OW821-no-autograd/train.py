import ops  # noqa: F401
import torch

x = torch.randn(4, requires_grad=True, device="npu")
torch.ops.my_ops.scale(x, 2.0).sum().backward()
