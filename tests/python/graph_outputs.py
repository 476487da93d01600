"""Outputs of torchair's graphs that share memory, beside eager mode on the CPU; runs on the software NPU."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor

from compiled_models import difference

WORDS = "no error says so"
Function = Callable[..., Any]


@contextlib.contextmanager
def _alone(alone: bool) -> Iterator[None]:
    """torchair without opweld's care for outputs."""
    from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph

    torchair.get_npu_backend()
    ours = GeConcreteGraph.parse_output, GeConcreteGraph.__call__
    if alone:
        GeConcreteGraph.parse_output, GeConcreteGraph.__call__ = (each.__wrapped__ for each in ours)
    try:
        yield
    finally:
        GeConcreteGraph.parse_output, GeConcreteGraph.__call__ = ours


def _first_graph() -> None:
    """opweld's part comes with it."""
    torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend())(torch.ones(2).npu())


def _slices(function: Function, device: str, sizes: list[int]) -> list[Tensor]:
    """Results and gradients of one slice of a tensor after the other."""
    torch.manual_seed(1)
    data, weight = torch.randn(40, 6).to(device), torch.randn(6, 6).to(device).requires_grad_()
    found, begin = [], 0
    for n in sizes:
        out = function(data[begin : begin + n], weight)
        (gradient,) = torch.autograd.grad(out.square().sum(), weight)
        found += [out, gradient]
        begin += n
    return found


def _two_in_one_storage(function: Function, device: str, sizes: list[int]) -> list[Tensor]:
    """Two inputs that are slices of one tensor in the first call, and in the next call are not."""
    found = []
    torch.manual_seed(2)
    for call in range(2):
        data = torch.randn(16, 6).to(device)
        x = torch.randn(8, 6).to(device) if call else data[8:]
        x = x.detach().requires_grad_()
        found += torch.autograd.grad(function(data[:8], x).sum(), x)
    return found


def _gradient_slices(function: Function, device: str, sizes: list[int]) -> list[Tensor]:
    """Gradients come in as slices of a tensor, and the graph of backward returns them."""
    torch.manual_seed(3)
    data = torch.randn(16, 6).to(device)
    found = []
    for begin in (0, 8):
        x = torch.ones(8, 6).to(device).requires_grad_()
        found += torch.autograd.grad(function(x), x, data[begin : begin + 8])
    return found


def _several_results(function: Function, device: str, sizes: list[int]) -> list[Tensor]:
    """All results and the gradient of their sum."""
    found = []
    for n in sizes:
        torch.manual_seed(n)
        x = torch.randn(n, 3, 6).to(device).requires_grad_()
        out = function(x)
        total = sum((y * torch.arange(y.numel()).view(y.shape).to(device)).sum() for y in out)
        found += [*out, *torch.autograd.grad(total, x)]
    return found


def _inference(function: Function, device: str, sizes: list[int]) -> list[Tensor]:
    """Views of inputs that are slices, without gradients."""
    torch.manual_seed(4)
    data = torch.randn(16, 6).to(device)
    with torch.no_grad():
        return [y for begin in (0, 8) for y in function(data[begin : begin + 8])]


def _halves(y: Tensor) -> tuple[Tensor, Tensor]:
    return y.unflatten(-1, (-1, 3)).transpose(0, 2), y


def _last(y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return y[:, 1:], y, y.flatten(1, 2)[-1]


@dataclass
class Case:
    function: Function
    calls: Callable[[Function, str, list[int]], list[Tensor]]
    dynamic: bool = False
    sizes: tuple[int, ...] = (8, 8, 8)


CASES = {
    "slices": Case(lambda x, weight: torch.tanh(x @ weight), _slices),
    "slices of open size": Case(lambda x, weight: torch.tanh(x @ weight), _slices, True, (8, 8, 10, 5)),
    "two in one storage": Case(lambda a, x: a * 2 + x.sin(), _two_in_one_storage),
    "view of the second": Case(lambda a, x: a.sum() * x.view(4, 12)[1:, ::2].sin(), _two_in_one_storage),
    "gradients": Case(lambda x: x + 1, _gradient_slices),
    "views of results": Case(lambda x: _halves(x.sin()), _several_results, True, (4, 5)),
    "views of a permuted result": Case(
        lambda x: _halves(x.transpose(0, 1).sin().transpose(0, 1)), _several_results, True, (4, 5)
    ),
    "parts of results": Case(lambda x: _last(x.sin()), _several_results, True, (4, 5)),
    "inference": Case(lambda x: (x.t(), x.sin(), x[2:]), _inference),
    "static": Case(lambda x: _halves(x.sin()), _several_results, False, (4, 4)),
}


def compare(name: str, alone: bool) -> dict[str, Any]:
    """The largest difference to the CPU, and what opweld warned of."""
    case = CASES[name]
    _first_graph()
    torch._dynamo.reset()
    with _alone(alone), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fast = torch.compile(
            case.function, backend=torchair.get_npu_backend(), dynamic=case.dynamic, fullgraph=True
        )
        mine = case.calls(fast, "npu", list(case.sizes))
    right = case.calls(case.function, "cpu", list(case.sizes))
    texts = [str(warning.message) for warning in told if WORDS in str(warning.message)]
    if [x.shape for x in mine] != [x.shape for x in right]:
        raise AssertionError(f"{[x.shape for x in mine]} are not {[x.shape for x in right]}")
    return {"difference": max(map(difference, mine, right)), "warnings": texts}


class _Cached(torch.nn.Module):
    def __init__(self, folder: str) -> None:
        super().__init__()
        import torchair.inference

        self.run = torchair.inference.cache_compile(self.views, dynamic=False, cache_dir=folder)

    def views(self, x: Tensor) -> tuple[Tensor, ...]:
        return x.t(), x.sin(), x[1:]


def cached() -> float:
    """The difference to eager mode of views that a graph out of torchair's cache returns."""
    torch._dynamo.reset()
    data = torch.randn(60).npu()
    largest = 0.0
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for _ in range(2):  # compiled, then out of the cache
            model = _Cached(folder).npu()
            for begin in (0, 7):
                x = data[begin : begin + 24].view(4, 6)
                largest = max(largest, *map(difference, model.run(x), model.views(x)))
    return largest
