"""What the arithmetic, comparison and unary functions must give; see aclnn_cases."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from aclnn_cases import PAIRS, SIZES, Case, Shape

Function = Callable[..., Any]
CLOSE = 1e-6  # results of vector and of scalar code of the CPU differ in the last place
METHOD = torch.Tensor


def powers() -> Iterable[Case]:
    for first, second in PAIRS:
        pair = (Shape(first), Shape(second))
        yield Case("PowTensorTensor", pair, torch.pow, CLOSE)
        yield Case("InplacePowTensorTensor", pair, METHOD.pow_, CLOSE)
    for sizes in SIZES:
        for value in (2, 0.5, -1, 3.0, 0):
            yield Case("PowTensorScalar", (Shape(sizes), value), torch.pow, CLOSE)
            yield Case("InplacePowTensorScalar", (Shape(sizes), value), METHOD.pow_, CLOSE)
        for value in (2, 1, 0.5, -1.5):
            yield Case("PowScalarTensor", (value, Shape(sizes)), torch.pow, CLOSE)


def divisions() -> Iterable[Case]:
    names: dict[str, tuple[str, str]] = {
        "floor_divide": ("FloorDivide", "FloorDivides"),
        "remainder": ("RemainderTensorTensor", "RemainderTensorScalar"),
        "fmod": ("FmodTensor", "FmodScalar"),
    }
    modes = (None, "trunc", "floor")

    def divide(a: Any, b: Any, mode: int) -> torch.Tensor:
        return torch.div(a, b, rounding_mode=modes[mode])

    def divide_(a: torch.Tensor, b: Any, mode: int) -> torch.Tensor:
        return a.div_(b, rounding_mode=modes[mode])

    for name, (of_tensor, of_scalar) in names.items():
        function, method = getattr(torch, name), getattr(METHOD, f"{name}_")
        for first, second in PAIRS:
            pair = (Shape(first), Shape(second))
            yield Case(of_tensor, pair, function, CLOSE)
            yield Case(f"Inplace{of_tensor}", pair, method, CLOSE)
        for sizes in SIZES:
            for value in (2, -3, 0.75):
                yield Case(of_scalar, (Shape(sizes), value), function, CLOSE)
                yield Case(f"Inplace{of_scalar}", (Shape(sizes), value), method, CLOSE)
    for sizes in SIZES:
        for value in (2, 0.75):
            yield Case("RemainderScalarTensor", (value, Shape(sizes)), torch.remainder, CLOSE)
        for mode in range(3):
            yield Case("DivMods", (Shape(sizes), 3, mode), divide)
            yield Case("DivMods", (Shape(sizes), 0.75, mode), divide)
            yield Case("InplaceDivMods", (Shape(sizes), 3, mode), divide_)
    for first, second in PAIRS:
        for mode in range(3):
            yield Case("DivMod", (Shape(first), Shape(second), mode), divide)
            yield Case("InplaceDivMod", (Shape(first), Shape(second), mode), divide_)


def binary_functions() -> Iterable[Case]:
    names = {
        "Atan2": torch.atan2,
        "LogAddExp": torch.logaddexp,
        "LogAddExp2": torch.logaddexp2,
        "XLogYTensor": torch.xlogy,
        "Gcd": torch.gcd,
        "Complex": torch.complex,
        "Polar": torch.polar,
    }
    for first, second in PAIRS:
        pair = (Shape(first), Shape(second))
        for name, function in names.items():
            yield Case(name, pair, function, CLOSE)
        yield Case("InplaceAtan2", pair, METHOD.atan2_, CLOSE)
        yield Case("Rsub", (*pair, 2), lambda a, b, alpha: torch.rsub(a, b, alpha=alpha))
        yield Case("SWhere", (Shape(second, torch.bool), *pair), torch.where)
        for name, method in (("LeftShift", "bitwise_left_shift"), ("RightShift", "bitwise_right_shift")):
            yield Case(name, pair, getattr(torch, method))
        for name in ("Min", "Max"):
            function = getattr(torch, f"clamp_{name.lower()}")
            yield Case(f"Clamp{name}Tensor", pair, function)
            yield Case(f"InplaceClamp{name}Tensor", pair, getattr(METHOD, f"clamp_{name.lower()}_"))
        yield Case("ClampTensor", (*pair, Shape(second)), torch.clamp)
        yield Case("ClampTensor", (*pair, None), torch.clamp)
        yield Case("ClampTensor", (Shape(first), None, Shape(second)), torch.clamp)
        yield Case("Lerp", (*pair, Shape(second)), torch.lerp, CLOSE)
        yield Case("InplaceLerp", (*pair, Shape(second)), METHOD.lerp_, CLOSE)
        yield Case("Lerps", (*pair, 0.25), torch.lerp, CLOSE)
        yield Case("InplaceLerps", (*pair, 0.75), METHOD.lerp_, CLOSE)


def numbers() -> Iterable[Case]:
    for sizes in SIZES:
        a = Shape(sizes)
        for value in (2, 0.5):
            yield Case("Rsubs", (a, value, 2), lambda x, o, alpha: torch.rsub(x, o, alpha=alpha))
            yield Case("AddV3", (value, a, 2), lambda s, o, v: torch.add(torch.tensor(s), o, alpha=v))
            yield Case("XLogYScalarOther", (a, value), torch.xlogy, CLOSE)
            yield Case("InplaceXLogYScalarOther", (a, value), METHOD.xlogy_, CLOSE)
            yield Case("XLogYScalarSelf", (value, a), torch.xlogy, CLOSE)
            yield Case("LessScalar", (a, value), torch.lt)
            yield Case("IsInTensorScalar", (a, value, False, True), _isin)
            yield Case("IsInScalarTensor", (value, a, False, False), _isin)
            for name in ("Min", "Max"):
                yield Case(f"Clamp{name}", (a, value), getattr(torch, f"clamp_{name.lower()}"))
                yield Case(f"InplaceClamp{name}", (a, value), getattr(METHOD, f"clamp_{name.lower()}_"))
        for name in ("And", "Or", "Xor"):
            for other in (5, True):
                yield Case(f"Bitwise{name}Scalar", (a, other), getattr(torch, f"bitwise_{name.lower()}"))
                yield Case(
                    f"InplaceBitwise{name}Scalar", (a, other), getattr(METHOD, f"bitwise_{name.lower()}_")
                )
        yield Case("LeftShifts", (a, 2), torch.bitwise_left_shift)


def _isin(elements: Any, tests: Any, unique: bool, invert: bool) -> torch.Tensor:
    return torch.isin(elements, tests, assume_unique=unique, invert=invert)


def _nan_to_num(x: torch.Tensor, *values: float) -> torch.Tensor:
    # The function has float parameters.
    return torch.nan_to_num(x, *(torch.tensor(v, dtype=torch.float32).item() for v in values))


def more_unary() -> Iterable[Case]:
    names = {
        "Frac": torch.frac,
        "Sinc": torch.sinc,
        "Signbit": torch.signbit,
        "IsPosInf": torch.isposinf,
        "IsNegInf": torch.isneginf,
        "AngleV2": torch.angle,
        "Silu": torch.nn.functional.silu,
    }
    for sizes in SIZES:
        a = Shape(sizes)
        for name, function in names.items():
            yield Case(name, (a,), function, CLOSE)
        yield Case("InplaceFrac", (a,), METHOD.frac_)
        yield Case("InplaceSinc", (a,), METHOD.sinc_, CLOSE)
        yield Case("InplaceLogicalNot", (a,), METHOD.logical_not_)
        yield Case("SiluBackward", (a, a), torch.ops.aten.silu_backward, CLOSE)
        for decimals in (0, 2, -1):
            yield Case("RoundDecimals", (a, decimals), lambda x, d: torch.round(x, decimals=d))
            yield Case("InplaceRoundDecimals", (a, decimals), lambda x, d: x.round_(decimals=d))
        yield Case("NanToNum", (a, 0.1, 7.0, -7.0), _nan_to_num)
        yield Case("InplaceNanToNum", (a, 0.1, 7.0, -7.0), lambda x, *v: x.copy_(_nan_to_num(x, *v)))
        yield Case("Logit", (a, 0.25), torch.logit, CLOSE)
        yield Case("Logit", (a, -1.0), lambda x, _: torch.logit(x), CLOSE)


def comparisons_in_place() -> Iterable[Case]:
    for name in ("Eq", "Ne", "Lt", "Le", "Gt", "Ge"):
        method = getattr(METHOD, f"{name.lower()}_")
        for first, second in PAIRS:
            yield Case(f"Inplace{name}Tensor", (Shape(first), Shape(second)), method)
        for sizes in SIZES:
            yield Case(f"Inplace{name}Scalar", (Shape(sizes), 1), method)
    for first, second in PAIRS:
        pair = (Shape(first), Shape(second))
        for name in ("And", "Or", "Xor"):
            yield Case(f"Logical{name}", pair, getattr(torch, f"logical_{name.lower()}"))
            yield Case(f"InplaceLogical{name}", pair, getattr(METHOD, f"logical_{name.lower()}_"))


def ranges() -> Iterable[Case]:
    dtypes = (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32)
    for dtype in dtypes:
        # With a fractional step PyTorch's CPU crashes for integers.
        steps = ((1.0, 2.0, 0.25),) if dtype.is_floating_point else ()
        for bounds in ((0, 9, 3), *steps, (5, -5, -3), (0, 0, 1)):
            yield Case("Range", bounds, lambda a, b, s, t=dtype: torch.range(a, b, s, dtype=t))
        for bounds in ((0, 10, 5), (-1.5, 2.5, 7), (3, 3, 1), (0, 1, 0)):
            yield Case("Linspace", bounds, lambda a, b, n, t=dtype: torch.linspace(a, b, n, dtype=t))
        for bounds in ((0, 3, 4, 2.0), (-1.0, 1.0, 5, 10.0)):
            yield Case("LogSpace", bounds, lambda a, b, n, g, t=dtype: torch.logspace(a, b, n, g, dtype=t))
        for rows, columns in ((3, 3), (2, 4), (4, 2), (0, 3)):
            yield Case("Eye", (rows, columns), lambda n, m, t=dtype: torch.eye(n, m, dtype=t))
    for sizes in SIZES:
        yield Case("InplaceFillTensor", (Shape(sizes), Shape(())), METHOD.fill_)
        yield Case("InplaceFillTensor", (Shape(sizes), Shape((1,))), lambda x, v: x.fill_(v[0]))
    for sizes in ((3, 3), (7, 3), (2, 5), (3, 3, 3)):
        for wrap in (False, True):
            yield Case("InplaceFillDiagonal", (Shape(sizes), 3, wrap), METHOD.fill_diagonal_)


def triangles_in_place() -> Iterable[Case]:
    for diagonal in (0, 1, -2):
        for name in ("Triu", "Tril"):
            for sizes in ((4, 4), (2, 3, 5), (0, 3)):
                yield Case(f"Inplace{name}", (Shape(sizes), diagonal), getattr(METHOD, f"{name.lower()}_"))
