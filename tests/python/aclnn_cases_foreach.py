"""What more functions over lists must give, and their older versions; see aclnn_cases."""

from collections.abc import Iterable
from typing import Any

import torch

from aclnn_cases import LISTS, Case, Shape, Shapes

CLOSE = 1e-6
MODES = {1: "round", 2: "floor", 3: "ceil", 5: "trunc", 7: "frac"}


def powers_of_lists() -> Iterable[Case]:
    for items in LISTS:
        a = Shapes(items)
        exponents = [2.0, 0.5, 3.0][: len(items)]
        yield Case("ForeachPowList", (a, a), torch._foreach_pow, CLOSE)
        yield Case("ForeachPowScalarV2", (a, 2), torch._foreach_pow, CLOSE)
        yield Case("ForeachPowScalarV2", (a, 0.5), torch._foreach_pow, CLOSE)
        yield Case("ForeachPowScalarList", (a, exponents), torch._foreach_pow, CLOSE)
        yield Case("ForeachPowScalarAndTensor", (2, a), torch._foreach_pow, CLOSE)
        for mode, name in MODES.items():
            function = getattr(torch, f"_foreach_{name}")
            yield Case("ForeachRoundOffNumberV2", (a, mode), lambda x, _, f=function: f(x))


def numbers_as_tensors() -> Iterable[Case]:
    """Numbers that come as tensors, in the lists' dtype."""

    def each(function: Any) -> Any:
        return lambda x, *others: [
            function(*tensors, others[-1]) for tensors in zip(x, *others[:-1], strict=True)
        ]

    for items in LISTS:
        a, number = Shapes(items), Shape(())
        for name in ("Add", "Sub"):
            function = getattr(torch, f"_foreach_{name.lower()}")
            yield Case(
                f"Foreach{name}List", (a, a, number), lambda x, y, v, f=function: f(x, y, alpha=v.item())
            )
            yield Case(f"Foreach{name}Scalar", (a, number), each(getattr(torch, name.lower())))
        for name in ("Mul", "Div", "Maximum", "Minimum", "Pow"):
            function = each(getattr(torch, name.lower()))
            yield Case(f"Foreach{name}Scalar", (a, number), function, CLOSE)
        numbers = Shape((len(items),))
        for name in ("Addcmul", "Addcdiv"):
            function = getattr(torch, f"_foreach_{name.lower()}")
            yield Case(
                f"Foreach{name}Scalar", (a, a, a, number),
                lambda x, y, z, v, f=function: f(x, y, z, v.item()),
            )  # fmt: skip
            yield Case(
                f"Foreach{name}ScalarList", (a, a, a, numbers),
                lambda x, y, z, v, f=function: f(x, y, z, v.tolist()),
            )  # fmt: skip
        for mode, name in MODES.items():
            function = getattr(torch, f"_foreach_{name}")
            code = torch.tensor(mode, dtype=torch.int8)
            yield Case("ForeachRoundOffNumber", (a, code), lambda x, _, f=function: f(x))
