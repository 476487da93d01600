"""Chains of views compiled through torchair, beside eager mode on the CPU; runs on the software NPU."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor

from compiled_models import difference

SIZES = (5, 7)  # of n, where it is open


@dataclass
class Chain:
    """A function, sizes of its input, and in which order the input and the gradient have their dimensions."""

    function: Callable[[Tensor], Tensor]
    sizes: Callable[[int], tuple[int, ...]]
    memory: tuple[int, ...] = ()
    gradient: tuple[int, ...] = ()


CHAINS = {
    "gradient": Chain(
        lambda x: x.sin().view(-1, 5).view(-1, 3, 5).permute(0, 2, 1), lambda n: (30,), gradient=(0, 2, 1)
    ),
    "input": Chain(lambda x: x.permute(0, 2, 1).view(-1, 24).sin(), lambda n: (n, 4, 6), memory=(0, 2, 1)),
    "result": Chain(lambda x: x.transpose(1, 2).sin().transpose(1, 2).view(-1, 24), lambda n: (n, 4, 6)),
    "einsum": Chain(
        lambda x: torch.einsum("bij->bji", x.cos()).exp().transpose(1, 2).reshape(-1, 12), lambda n: (n, 3, 4)
    ),
    "heads": Chain(
        lambda x: x.view(-1, 4, 2, 3).transpose(1, 2).sin().transpose(1, 2).reshape(-1, 4, 6),
        lambda n: (n, 4, 6),
    ),
    "two": Chain(
        lambda x: x.mT.sin().mT.view(-1, 4, 3, 2).transpose(1, 2).sin().transpose(1, 2).reshape(-1, 2, 12),
        lambda n: (n, 4, 6),
    ),
    "permuted": Chain(lambda x: x.sin().view(-1, 6, 2, 2).permute(2, 0, 3, 1).cos(), lambda n: (n, 4, 6)),
    "ones": Chain(lambda x: x.sin().view(-1, 1, 24).transpose(1, 2).view(-1, 24), lambda n: (n, 4, 6)),
    "no view": Chain(lambda x: x.mT.sin().mT.exp().mT, lambda n: (n, 4, 6)),
}


def _ordered(x: Tensor, order: tuple[int, ...]) -> Tensor:
    """The same numbers, with dimensions in memory in this order."""
    if not order:
        return x
    return x.permute(order).contiguous().permute([order.index(i) for i in range(len(order))])


def _backend(optimize: bool) -> Any:
    config = torchair.CompilerConfig()
    config.experimental_config.enable_view_optimize = optimize
    return torchair.get_npu_backend(compiler_config=config)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """torchair without opweld's care for views."""
    from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph

    ours = GeConcreteGraph._parse_node_internal
    GeConcreteGraph._parse_node_internal = ours.__wrapped__
    try:
        yield
    finally:
        GeConcreteGraph._parse_node_internal = ours


def compare(chain: str, dynamic: bool, optimize: bool = True, alone: bool = False) -> dict[str, Any]:
    """The largest difference of results and gradients to the CPU, and what opweld warned of."""
    case = CHAINS[chain]
    torch._dynamo.reset()
    fast: Any = torch.compile(case.function, backend=_backend(optimize), dynamic=False, fullgraph=True)
    largest = 0.0
    with warnings.catch_warnings(record=True) as told, _alone() if alone else contextlib.nullcontext():
        warnings.simplefilter("always")
        for n in SIZES if dynamic else SIZES[:1]:
            torch.manual_seed(n)
            x = _ordered(torch.randn(case.sizes(n)), case.memory)
            gradient = torch.randn(case.function(x).shape)
            found = []
            for function, device in ((fast, "npu"), (case.function, "cpu")):
                leaf = _ordered(x.to(device), case.memory).detach().requires_grad_()
                if dynamic:
                    torch._dynamo.mark_dynamic(leaf, 0)
                out = function(leaf)
                out.backward(_ordered(gradient.to(device), case.gradient))
                found.append([out, leaf.grad])
            pairs = zip(*found, strict=True)
            largest = max([largest, *(difference(mine, right) for mine, right in pairs)])
    texts = [str(warning.message) for warning in told if "enable_view_optimize" in str(warning.message)]
    return {"difference": largest, "warnings": texts}
