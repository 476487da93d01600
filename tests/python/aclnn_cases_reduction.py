"""What the reductions and cumulative functions must give; see aclnn_cases."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from aclnn_cases import Case, Shape

Function = Callable[..., Any]
CLOSE = 1e-6
PRODUCTS = (torch.float32, torch.int64, torch.float16, torch.bfloat16)
OVER = (((3, 4), (0,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (-1,)), ((5,), (0,)), ((3, 4), ()), ((), ()))


def extremes() -> Iterable[Case]:
    for sizes, dims in OVER:
        a = Shape(sizes)
        for keep in (False, True):
            for name in ("Amax", "Amin"):
                yield Case(name, (a, dims, keep), getattr(torch, name.lower()))
            yield Case("Aminmax", (a, dims, keep), lambda x, d, k: (x.amin(d, k), x.amax(d, k)))
            if len(dims) == 1:
                yield Case("AminmaxDim", (a, dims[0], keep), lambda x, d, k: (x.amin(d, k), x.amax(d, k)))
                # PyTorch's median is wrong for elements that share memory.
                for name in ("Max", "Min", "Median", "NanMedian"):
                    function = getattr(torch, name.lower())
                    yield Case(
                        f"{name}Dim",
                        (a, dims[0], keep),
                        lambda x, d, k, f=function: tuple(f(x.contiguous(), d, k)),
                    )
    for sizes in ((3, 4), (), (5,)):
        yield Case("AminmaxAll", (Shape(sizes),), lambda x: (x.amin(), x.amax()))
        yield Case("Median", (Shape(sizes),), torch.median)
        yield Case("NanMedian", (Shape(sizes),), torch.nanmedian)


def products_and_norms() -> Iterable[Case]:
    for sizes, dims in OVER:
        a = Shape(sizes)
        for keep in (False, True):
            for dtype in (torch.float32, torch.int64):
                yield Case(
                    "ReduceNansum", (a, dims, keep, dtype),
                    lambda x, d, k, t: torch.nansum(x, d, k, dtype=t),
                )  # fmt: skip
            for dtype in PRODUCTS if len(dims) == 1 else ():
                yield Case("ProdDim", (a, dims[0], keep, dtype), _prod, CLOSE)
            yield Case("LogSumExp", (a, dims or tuple(range(len(sizes))), keep), torch.logsumexp, CLOSE)
            for order in (2, 1, 3.0, float("inf"), 0):
                yield Case("Norm", (a, order, dims, keep), _norm, CLOSE)
    for sizes in ((3, 4), (), (5,), (0, 2)):
        for dtype in PRODUCTS:
            yield Case("Prod", (Shape(sizes), dtype), _prod, CLOSE)
    many = Shape((40, 3))
    for dtype in (torch.float16, torch.bfloat16):
        yield Case("ProdDim", (many, 0, False, dtype), _prod, CLOSE)


def _prod(x: torch.Tensor, *arguments: Any) -> torch.Tensor:
    """Rounded once for 16-bit results."""
    *dims, dtype = arguments
    if dtype.itemsize == 2 and dtype.is_floating_point:
        return torch.prod(x.to(dtype).float(), *dims).to(dtype)
    return torch.prod(x, *dims, dtype=dtype)


def _norm(x: torch.Tensor, order: float, dims: Any, keep: bool) -> torch.Tensor:
    return torch.linalg.vector_norm(x, order, dims or None, keep)


def spread() -> Iterable[Case]:
    def with_mean(function: Function) -> Function:
        return lambda x, d, c, k: tuple(function(x, d, correction=c, keepdim=k))

    for sizes, dims in OVER:
        a = Shape(sizes)
        for keep in (False, True):
            for correction in (1, 0):
                for name, function in {"Std": torch.std, "VarCorrection": torch.var}.items():
                    yield Case(
                        name, (a, dims, correction, keep),
                        lambda x, d, c, k, f=function: f(x, d, correction=c, keepdim=k), CLOSE,
                    )  # fmt: skip
                both = (a, dims, correction, keep)
                yield Case("VarMean", both, with_mean(torch.var_mean), CLOSE)
                yield Case("StdMeanCorrection", both, with_mean(torch.std_mean), CLOSE)


def cumulative() -> Iterable[Case]:
    for sizes in ((3, 4), (2, 3, 4), (5,), (), (0, 3)):
        a = Shape(sizes)
        for dim in {0, -1}:
            for dtype in (torch.float32, torch.int64, torch.float16):
                yield Case("Cumsum", (a, dim, dtype), lambda x, d, t: torch.cumsum(x, d, dtype=t))
                yield Case("Cumprod", (a, dim, dtype), lambda x, d, t: torch.cumprod(x, d, dtype=t))
            for name in ("Cummax", "Cummin"):
                function = getattr(torch, name.lower())
                yield Case(name, (a, dim), lambda x, d, f=function: tuple(f(x, d)))


def _trace(x: torch.Tensor) -> torch.Tensor:
    dtype = torch.int64 if not (x.is_floating_point() or x.is_complex()) else x.dtype
    return x.diagonal().sum(dtype=dtype)


def _histc(x: torch.Tensor, bins: int, low: float, high: float) -> torch.Tensor:
    return torch.histc(x.double(), bins, low, high).to(x.dtype)


def counts() -> Iterable[Case]:
    for sizes in ((3, 3), (2, 5), (0, 3)):
        yield Case("Trace", (Shape(sizes),), _trace)
    for sizes in ((3, 4), (5,), (), (200,)):
        for bins, low, high in ((4, -3, 3), (10, 0.0, 1.0), (3, 0, 0)):
            yield Case("Histc", (Shape(sizes), bins, low, high), _histc)
    indices = Shape((7,), torch.int64, 5)
    for minimum in (0, 3, 9):
        yield Case("Bincount", (indices, None, minimum), torch.bincount)
        yield Case("Bincount", (indices, Shape((7,), torch.float32), minimum), torch.bincount)
        yield Case(
            "Bincount", (Shape((7,), torch.int32, 5), Shape((7,), torch.int64), minimum), torch.bincount
        )
        yield Case("Bincount", (Shape((0,), torch.int64), None, minimum), torch.bincount)
