"""What autograd sees of the results of captured training graphs; runs on the software NPU."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn

from captured_inputs import backend_of


def training(backend: str, sizes: list[int]) -> dict[str, Any]:
    """Calls of hooks, and differences to eager mode, over batches of these sizes; x needs no gradient."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2)).npu()
    reference = copy.deepcopy(model)
    compiled = torch.compile(model, backend=backend_of(backend), dynamic=len(set(sizes)) > 1)
    calls, retained, results, gradients = 0, 0, 0.0, 0.0

    def hook(gradient: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        calls += 1
        return gradient * 2

    for size in sizes:
        x = torch.randn(size, 6).npu()
        y, right = compiled(x), reference(x)
        results = max(results, (y - right).abs().max().item())
        y.retain_grad()
        y.register_hook(hook)
        for module, result in ((model, y), (reference, 1.0 * right)):
            module.zero_grad()
            result.square().sum().backward()
        retained += torch.allclose(y.grad, 4 * right, atol=1e-5)
        for ours, expected in zip(model.parameters(), reference.parameters(), strict=True):
            assert ours.grad is not None
            assert expected.grad is not None
            gradients = max(gradients, (ours.grad - 2 * expected.grad).abs().max().item())
    return {"calls": calls, "retained": retained, "results": results, "gradients": gradients}
