"""Gradients that torchair has no converter for, or refuses, beside eager mode; runs on the software NPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import torch_npu  # noqa: F401
import torchair
from torch import Tensor
from torch._dynamo.utils import counters

from compiled_models import DTYPES, difference

Function = Callable[..., Tensor]

# Sizes of both inputs of a product; n changes with dynamic sizes.
PRODUCTS: list[Callable[[int], tuple[tuple[int, ...], tuple[int, ...]]]] = [
    lambda n: ((n,), (n,)),
    lambda n: ((n, 4), (4,)),
    lambda n: ((n,), (n, 5)),
    lambda n: ((n, 4), (4, 5)),
    lambda n: ((2, n, 4), (4,)),
    lambda n: ((4,), (n, 4, 5)),
    lambda n: ((2, n, 4), (4, 5)),
    lambda n: ((n, 4), (2, 4, 5)),
    lambda n: ((n, 3, 4), (n, 4, 5)),
    lambda n: ((n, 1, 3, 4), (6, 4, 5)),
    lambda n: ((1, n, 3, 4), (2, 1, 4, 5)),
    lambda n: ((2, 3, n, 4), (4, n)),
    lambda n: ((1, 3, 4), (n, 4, 5)),
]


def _compare(make: Callable[[int], list[Tensor]], function: Function, dtype: str, dynamic: bool) -> float:
    """The largest difference of results and gradients to eager mode, in one graph for all sizes."""
    torch._dynamo.reset()
    counters.clear()
    fast: Any = torch.compile(function, backend=torchair.get_npu_backend(), dynamic=dynamic, fullgraph=True)
    largest = 0.0
    for n in (7, 8) if dynamic else (7,):  # no size that another dimension has
        torch.manual_seed(n)
        inputs = make(n)
        found = []
        for call in (fast, function):
            leaves = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
            out = call(*leaves)
            out.backward()
            found.append([out, *(leaf.grad for leaf in leaves if leaf.requires_grad)])
        pairs = list(zip(*found, strict=True))
        for mine, right in pairs:
            if mine.dtype != right.dtype or mine.shape != right.shape:
                raise AssertionError(f"{mine.dtype} {mine.shape} is not {right.dtype} {right.shape}")
        largest = max([largest, *(difference(mine, right) for mine, right in pairs)])
    if counters["stats"]["unique_graphs"] != 1:
        raise AssertionError(f"{counters['stats']['unique_graphs']} graphs were compiled")
    return largest


def matmul(dtype: str, dynamic: bool, wanted: tuple[bool, bool] = (True, True)) -> float:
    """Products of inputs of all ranks, one after the other, where one or both want gradients."""
    kind = DTYPES[dtype]

    def make(n: int) -> list[Tensor]:
        return [
            torch.randn(size).to(kind).npu().requires_grad_(wants)
            for sizes in PRODUCTS
            for size, wants in zip(sizes(n), wanted, strict=True)
        ]

    def whole(*inputs: Tensor) -> Tensor:
        products = [torch.matmul(a, b) for a, b in zip(inputs[::2], inputs[1::2], strict=True)]
        return torch.stack([product.float().square().mean() for product in products]).sum()

    return _compare(make, whole, dtype, dynamic)


def silu(dtype: str, dynamic: bool) -> float:
    """Of a tensor, and of its transpose."""

    def make(n: int) -> list[Tensor]:
        return [(torch.randn(n, 3, 5) * 3).to(DTYPES[dtype]).npu().requires_grad_()]

    def whole(x: Tensor) -> Tensor:
        return (F.silu(x) * x).float().sum() + F.silu(x.transpose(0, 2)).float().square().sum()

    return _compare(make, whole, dtype, dynamic)


def batch_norm(dtype: str, dynamic: bool, training: bool, affine: bool) -> float:
    """Of inputs in two to five dimensions."""
    kind = DTYPES[dtype]
    channels = 3

    def make(n: int) -> list[Tensor]:
        sizes = [(n, channels, *(4 + i for i in range(rank - 2))) for rank in range(2, 6)]
        inputs = [(torch.randn(size) * 2 + 1).to(kind).npu().requires_grad_() for size in sizes]
        parameters = [(torch.rand(channels) + 0.5).to(kind).npu() for _ in range(3)]
        bias = torch.randn(channels).to(kind).npu()
        return [*inputs, parameters[0].requires_grad_(affine), bias.requires_grad_(affine), *parameters[1:]]

    def whole(*tensors: Tensor) -> Tensor:
        *inputs, weight, bias, mean, variance = tensors
        statistics = (mean.clone(), variance.clone())  # training writes into them
        results = [
            F.batch_norm(x, *statistics, weight if affine else None, bias if affine else None, training)
            for x in inputs
        ]
        return torch.stack(
            [(result.float() * x.float().cos()).mean() for result, x in zip(results, inputs, strict=True)]
        ).sum()

    return _compare(make, whole, dtype, dynamic)


def saved_statistics(dtype: str) -> float:
    """The gradient of a batch norm whose saved mean and deviation have the dtype of the input, too."""
    torch._dynamo.reset()
    torch.manual_seed(3)
    sizes = [(4, 3, 5, 5), (4, 3, 5, 5), (3,), (3,), (3,), (3,), (3,)]
    tensors = [(torch.rand(size) + 0.5).to(DTYPES[dtype]).npu() for size in sizes]

    def gradients(*tensors: Tensor) -> list[Tensor]:
        return list(torch.ops.aten.native_batch_norm_backward(*tensors, True, 1e-5, [True] * 3))

    fast: Any = torch.compile(gradients, backend=torchair.get_npu_backend(), dynamic=False, fullgraph=True)
    return max(difference(*pair) for pair in zip(fast(*tensors), gradients(*tensors), strict=True))
