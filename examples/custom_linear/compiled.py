"""Compiles CustomLinearModel in both graph modes, inference and training, and compares with eager mode."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable
from typing import Any

import torch
from custom_linear_model import CustomLinearModel
from torch import Tensor, nn

TOLERANCE = 1e-5


def backend(mode: str) -> Any:
    """What torch.compile takes: the graph engine behind torchair, or captured graphs."""
    if mode == "captured":
        return "npugraph_ex"
    from torch_npu.dynamo import torchair

    return torchair.get_npu_backend()


def difference(one: Tensor, other: Tensor) -> float:
    """The largest difference of two tensors, relative to the largest value."""
    return ((one - other).abs().max() / other.abs().max().clamp_min(1e-6)).item()


def infer(model: nn.Module, compiled: Callable[[Tensor], Tensor], batch: int) -> float:
    """How far the compiled model's output is from the eager one's."""
    x = torch.randn(batch, 32, device="npu")
    with torch.no_grad():
        return difference(compiled(x), model(x))


def train(model: nn.Module, mode: str, dynamic: bool, steps: int = 5) -> float:
    """Trains a compiled copy and an eager one; the largest difference of their parameters afterwards."""
    plain, other = copy.deepcopy(model), copy.deepcopy(model)
    compiled = torch.compile(other, backend=backend(mode), dynamic=dynamic, fullgraph=True)
    generator = torch.Generator().manual_seed(2)
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in (plain, other)]
    for _ in range(steps):
        x = torch.randn(16, 32, generator=generator).npu()
        target = torch.randint(0, 10, (16,), generator=generator).npu()
        for module, optimizer in zip((plain, compiled), optimizers, strict=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(x), target).backward()
            optimizer.step()
    pairs = zip(other.parameters(), plain.parameters(), strict=True)
    return max(difference(a.detach(), b.detach()) for a, b in pairs)


def main() -> int:
    """Returns 0 where everything agrees with eager mode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=["graph", "captured"], default="graph")
    mode = parser.parse_args().mode
    model = CustomLinearModel().npu()
    worst = 0.0
    for dynamic in (False, True):
        compiled = torch.compile(model, backend=backend(mode), dynamic=dynamic, fullgraph=True)
        shapes = "dynamic shapes" if dynamic else "static shapes"
        for batch in (8, 8, 24) if dynamic else (8,):
            worst = max(worst, found := infer(model, compiled, batch))
            print(f"{mode}, {shapes}, batch {batch}: inference differs by {found:.1e}")
        worst = max(worst, found := train(model, mode, dynamic))
        print(f"{mode}, {shapes}: parameters after 5 training steps differ by {found:.1e}")
        torch.compiler.reset()
    print("equal to eager mode" if worst <= TOLERANCE else f"FAULT: differs by {worst:.1e}")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    raise SystemExit(main())
