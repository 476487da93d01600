"""Operators over lists of tensors as graphs."""

from collections.abc import Callable, Iterator

import torch

from graph_compare import check, run_all

Case = tuple[str, Callable[[], None]]

UNARY = (
    "abs acos asin atan cos cosh erf erfc exp expm1 log log10 log1p log2 sigmoid sin sinh tan "
    "tanh ceil floor frac round trunc"
)
BINARY = "add sub mul div maximum minimum"


def tensors(dtype: torch.dtype) -> list[torch.Tensor]:
    return [(torch.rand(shape) * 0.8 + 0.1).to(dtype) for shape in ((3, 4), (5,), (2, 1, 3))]


def _cases(dtype: torch.dtype) -> Iterator[Case]:
    a, b, c = tensors(dtype), tensors(dtype), tensors(dtype)
    for name in UNARY.split():
        function = getattr(torch, f"_foreach_{name}")
        yield name, lambda n=name, f=function: check(n, lambda x: f(x), a)
    for name in BINARY.split():
        function = getattr(torch, f"_foreach_{name}")
        yield f"{name} List", lambda n=name, f=function: check(n, lambda x, y: f(x, y), a, b)
        yield f"{name} Scalar", lambda n=name, f=function: check(n, lambda x: f(x, 0.5), a)
        yield f"{name} ScalarList", lambda n=name, f=function: check(n, lambda x: f(x, [0.5, 1.5, 2.5]), a)
    yield "add alpha", lambda: check("add", lambda x, y: torch._foreach_add(x, y, alpha=2), a, b)
    for name in ("addcmul", "addcdiv"):
        function = getattr(torch, f"_foreach_{name}")
        yield f"{name} Scalar", lambda n=name, f=function: check(n, lambda x, y, z: f(x, y, z, 0.5), a, b, c)
        yield (
            f"{name} ScalarList",
            lambda n=name, f=function: check(n, lambda x, y, z: f(x, y, z, [0.5, 1.5, 2.0]), a, b, c),
        )
    yield "pow Scalar", lambda: check("pow", lambda x: torch._foreach_pow(x, 2.5), a)
    yield "pow List", lambda: check("pow", lambda x, y: torch._foreach_pow(x, y), a, b)
    yield "lerp Scalar", lambda: check("lerp", lambda x, y: torch._foreach_lerp(x, y, 0.25), a, b)
    yield "lerp List", lambda: check("lerp", lambda x, y, w: torch._foreach_lerp(x, y, w), a, b, c)
    yield "norm", lambda: check("norm", lambda x: torch._foreach_norm(x, 2), a)


def cases(dtype: str) -> int:
    torch.manual_seed(4)
    return run_all(_cases(getattr(torch, dtype)))
