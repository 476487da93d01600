"""What captured training graphs leave in the tensors that they are given; runs on the software NPU."""

from __future__ import annotations

import copy
from typing import Any

import torch
import torch_npu  # noqa: F401
import torchair
from torch import nn

BATCH = 8


def backend_of(name: str) -> Any:
    """What torch.compile takes for npugraph_ex or for torchair's reduce-overhead mode."""
    config = torchair.CompilerConfig()
    config.mode = "reduce-overhead"
    reduce_overhead = torchair.get_npu_backend(compiler_config=config)  # refuses to come after npugraph_ex
    return name if name == "npugraph_ex" else reduce_overhead


def data_set(backend: str) -> dict[str, Any]:
    """Trains on slices of one tensor, beside eager mode."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2)).npu()
    reference = copy.deepcopy(model)
    compiled = torch.compile(model, backend=backend_of(backend), dynamic=False)
    data = torch.randn(4 * BATCH, 6).npu()
    before = data.clone()
    difference = 0.0
    for _ in range(2):
        for start in range(0, len(data), BATCH):
            losses = [each(data[start : start + BATCH]).square().mean() for each in (compiled, reference)]
            for loss, module in zip(losses, (model, reference), strict=True):
                module.zero_grad()
                loss.backward()
            for ours, right in zip(model.parameters(), reference.parameters(), strict=True):
                assert ours.grad is not None
                assert right.grad is not None
                difference = max(difference, (ours.grad - right.grad).abs().max().item())
                with torch.no_grad():
                    ours -= 0.1 * ours.grad
                    right -= 0.1 * right.grad
    return {"difference": difference, "intact": torch.equal(data, before)}


def changed_in_place(backend: str) -> list[bool]:
    """A buffer and an input that the model changes are changed, each time another one."""
    torch._dynamo.reset()
    weight = torch.randn(3, 3).npu().requires_grad_()

    def step(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        count.add_(1)
        return (x @ weight).tanh()

    compiled = torch.compile(step, backend=backend_of(backend), dynamic=False)
    right = []
    for start in (0.0, 5.0, 9.0):
        x, count = torch.randn(2, 3).npu(), torch.full((2,), start).npu()
        y = compiled(x, count)
        y.sum().backward()
        right.append(torch.equal(count.cpu(), torch.full((2,), start + 1)))
        right.append(torch.allclose(y, (x @ weight).tanh(), atol=1e-6))
    return right
