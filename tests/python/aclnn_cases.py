"""What each aclnn function must give: a PyTorch expression on the CPU, for many shapes, dtypes and layouts.

A case is (function, arguments without outputs, reference). An argument that is a Shape becomes a tensor
(Shapes: a list of them) in the dtype and layout under test. The reference gets CPU tensors in the same
layouts; what it returns has the shape and dtype of the outputs. In-place functions change their first tensor;
the reference returns it. Each public function here, and in modules `aclnn_cases_….py`, is a family and
makes its cases.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch


class Shape(NamedTuple):
    """A tensor argument; `dtype` where it is not the one under test, `high` for indices."""

    sizes: tuple[int, ...]
    dtype: torch.dtype | None = None
    high: int = 0


class Shapes(NamedTuple):
    """A list of tensors."""

    items: tuple[tuple[int, ...], ...]


class Case(NamedTuple):
    function: str
    arguments: tuple[Any, ...]
    reference: Callable[..., Any]
    tolerance: float = 0.0  # where the CPU's own result depends on the layout


SIZES = [(3, 4), (2, 3, 4), (), (0, 3), (5,)]
PAIRS = [((3, 4), (3, 4)), ((3, 1), (1, 4)), ((2, 3, 4), (4,)), ((), (3,)), ((0, 3), (3,)), ((), ())]
LIST_UNARY = (
    "Abs Neg Sign Acos Asin Atan Cos Cosh Erf Erfc Exp Expm1 Log Log10 Log1p Log2 Reciprocal Sigmoid Sin "
    "Sinh Sqrt Tan Tanh"
)
LISTS = [((3, 4), (5,)), ((), (2, 2, 2), (0, 3))]


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


def unary() -> Iterable[Case]:
    same = "Abs Ceil Floor Neg Trunc Round"
    floating = (
        "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Exp Expm1 Exp2 Log Log10 Log1p Log2 Reciprocal Rsqrt "
        "Sigmoid Sin Sinh Sqrt Tan Tanh Erf Erfc Erfinv"
    )
    others = {"Relu": torch.relu, "BitwiseNot": torch.bitwise_not, "LogicalNot": torch.logical_not}
    others |= {"IsFinite": torch.isfinite, "Sign": torch.sgn}
    functions = {name: getattr(torch, _snake(name)) for name in f"{same} {floating}".split()} | others
    for name, function in functions.items():
        for sizes in SIZES:
            yield Case(name, (Shape(sizes),), function)
            yield Case(
                f"Inplace{name}", (Shape(sizes),), getattr(torch.Tensor, f"{function.__name__}_", function)
            )


def binary() -> Iterable[Case]:
    def alpha(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda a, b, alpha: function(a, b, alpha=alpha)

    for first, second in PAIRS:
        a, b = Shape(first), Shape(second)
        for name, function in {"Add": torch.add, "Sub": torch.sub}.items():
            yield Case(name, (a, b, 2), alpha(function))
            yield Case(f"Inplace{name}", (a, b, 1), alpha(getattr(torch.Tensor, f"{_snake(name)}_")))
        for name in ["Mul", "Div", "Maximum", "Minimum"]:
            yield Case(name, (a, b), getattr(torch, _snake(name)))
        for name in ["Mul", "Div"]:
            yield Case(f"Inplace{name}", (a, b), getattr(torch.Tensor, f"{_snake(name)}_"))
        for name in ["And", "Or", "Xor"]:
            yield Case(f"Bitwise{name}Tensor", (a, b), getattr(torch, f"bitwise_{name.lower()}"))
            yield Case(
                f"InplaceBitwise{name}Tensor", (a, b), getattr(torch.Tensor, f"bitwise_{name.lower()}_")
            )
        for name in ["Addcmul", "Addcdiv"]:
            function, method = getattr(torch, _snake(name)), getattr(torch.Tensor, f"{_snake(name)}_")
            yield Case(name, (a, b, b, 2), lambda x, y, z, v, f=function: f(x, y, z, value=v))
            yield Case(f"Inplace{name}", (a, b, b, 2), lambda x, y, z, v, f=method: f(x, y, z, value=v))
    for sizes in SIZES:
        a = Shape(sizes)
        for value in (2, 0.5, True):
            yield Case("Adds", (a, value, 1), alpha(torch.add))
            yield Case("InplaceAdds", (a, value, 1), alpha(torch.Tensor.add_))
            yield Case("Muls", (a, value), torch.mul)
            yield Case("InplaceMuls", (a, value), torch.Tensor.mul_)
            yield Case("Divs", (a, value), torch.div)
            yield Case("InplaceDivs", (a, value), torch.Tensor.div_)
        for value in (2, 0.5):
            yield Case("Subs", (a, value, 2), alpha(torch.sub))
            yield Case("InplaceSubs", (a, value, 2), alpha(torch.Tensor.sub_))
        for low, high in ((-1, 1), (None, 0.5), (1, None)):
            yield Case("Clamp", (a, low, high), torch.clamp)


def comparison() -> Iterable[Case]:
    for name in ["Eq", "Ne", "Lt", "Le", "Gt", "Ge"]:
        function = getattr(torch, name.lower())
        for first, second in PAIRS:
            yield Case(f"{name}Tensor", (Shape(first), Shape(second)), function)
        for sizes in SIZES:
            yield Case(f"{name}Scalar", (Shape(sizes), 1), function)
            yield Case(f"{name}Scalar", (Shape(sizes), 0.5), function)
    for sizes in SIZES:
        a = Shape(sizes)
        yield Case("Equal", (a, a), lambda x, y: torch.tensor(torch.equal(x, y)))
        yield Case("IsClose", (a, a, 1e-5, 1e-8, True), lambda x, y, r, t, n: torch.isclose(x, y, r, t, n))


def _sum(x: torch.Tensor, dims: Any, keep: bool, dtype: torch.dtype) -> torch.Tensor:
    return torch.sum(x, dims, keep, dtype=dtype)


def _mean(x: torch.Tensor, dims: Any, keep: bool, dtype: torch.dtype) -> torch.Tensor:
    return torch.mean(x, dims, keep, dtype=dtype)


def reduction() -> Iterable[Case]:
    for sizes, dims in (((3, 4), (0,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (-1,)), ((5,), (0,)), ((), ())):
        for keep in (False, True):
            a = Shape(sizes)
            for name in ["All", "Any"]:
                function = getattr(torch, name.lower())
                yield Case(name, (a, dims, keep), lambda x, d, k, f=function: f(x, dim=d, keepdim=k))
            for dtype in (torch.float32, torch.int64):
                yield Case("ReduceSum", (a, dims, keep, dtype), _sum)
            yield Case("Mean", (a, dims, keep, torch.float32), _mean)
            for order in (2, 1, 3, float("inf"), 0):
                yield Case(
                    "LinalgVectorNorm",
                    (a, order, dims, keep, torch.float32),
                    lambda x, o, d, k, t: torch.linalg.vector_norm(x, o, d or None, k, dtype=t),
                )
            if dims:
                for name in ["ArgMax", "ArgMin"]:
                    yield Case(name, (a, dims[0], keep), getattr(torch, name.lower()))
    for sizes in ((3, 4), (), (5,)):
        yield Case("Max", (Shape(sizes),), torch.max)
        yield Case("Min", (Shape(sizes),), torch.min)


def filling() -> Iterable[Case]:
    dtypes = (
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.float64,
        torch.int8,
        torch.int32,
        torch.int64,
    )
    for source in (*dtypes, torch.uint8, torch.int16, torch.bool, torch.complex64):
        for to, of in (((3, 4), (3, 4)), ((3, 4), (4,)), ((2, 3), ()), ((0, 2), (1, 2))):
            yield Case("InplaceCopy", (Shape(to), Shape(of, source)), torch.Tensor.copy_)
    for sizes in SIZES:
        yield Case("InplaceOne", (Shape(sizes),), lambda x: x.fill_(1))
        yield Case("InplaceZero", (Shape(sizes),), torch.Tensor.zero_)
        for value in (3, 0.25, True):
            yield Case("InplaceFillScalar", (Shape(sizes), value), torch.Tensor.fill_)
    for dtype in (torch.float32, torch.int64, torch.float16, torch.int32):
        for bounds in ((0, 10, 1), (1.0, 2.0, 0.25), (5, -5, -3), (0, 0, 1), (0, 3.5, 1), (3.5, 0, -1)):
            yield Case("Arange", bounds, lambda a, b, s, t=dtype: torch.arange(a, b, s, dtype=t))


def _in_float32(function: Callable[..., torch.Tensor], g: Any, y: Any, dim: int) -> torch.Tensor:
    wide = torch.float32 if g.itemsize == 2 else g.dtype
    return function(g.to(wide), y.to(wide), dim, wide).to(g.dtype)


def _gelu_backward(gradient: torch.Tensor, x: torch.Tensor, mode: str) -> torch.Tensor:
    return torch.ops.aten.gelu_backward(gradient, x, approximate=mode)


def activation() -> Iterable[Case]:
    aten = torch.ops.aten
    for sizes in SIZES:
        a = Shape(sizes)
        yield Case("Gelu", (a,), torch.nn.functional.gelu)
        for mode, text in enumerate(("none", "tanh")):
            yield Case("GeluV2", (a, mode), lambda x, _, t=text: torch.nn.functional.gelu(x, approximate=t))
            yield Case("GeluBackwardV2", (a, a, text), _gelu_backward)
        yield Case("GeluBackward", (a, a), aten.gelu_backward)
        yield Case("ThresholdBackward", (a, a, 0.1), aten.threshold_backward)
        yield Case("TanhBackward", (a, a), aten.tanh_backward)
        yield Case("SigmoidBackward", (a, a), aten.sigmoid_backward)
        for dim in {0, -1}:
            for name, forward, backward in (
                ("LogSoftmax", aten._log_softmax, aten._log_softmax_backward_data),
                ("Softmax", aten._softmax, aten._softmax_backward_data),
            ):
                yield Case(name, (a, dim), lambda x, d, f=forward: f(x, d, False))
                yield Case(
                    f"{name}Backward", (a, a, dim), lambda g, y, d, f=backward: _in_float32(f, g, y, d)
                )


def _nll_loss(x: Any, target: Any, weight: Any, *rest: int) -> tuple[torch.Tensor, ...]:
    """In float32 at least: ATen counts in the scores' dtype, and float16 ends at 2048."""
    wide = torch.float32 if x.itemsize == 2 else x.dtype
    results = torch.ops.aten.nll_loss_forward(x.to(wide), target, weight.to(wide), *rest)
    return tuple(result.to(x.dtype) for result in results)


def loss() -> Iterable[Case]:
    aten = torch.ops.aten
    for reduction in (0, 1, 2):
        for batch in ((6,), ()):
            scores, targets = Shape((*batch, 4)), Shape(batch, torch.int64, 4)
            shape = batch if reduction == 0 else ()
            yield Case("NLLLoss", (scores, targets, Shape((4,)), reduction, -100), _nll_loss)
            yield Case(
                "NLLLossBackward",
                (Shape(shape), scores, targets, Shape((4,)), reduction, 2, Shape(())),
                aten.nll_loss_backward,
            )
        for first, second in (((3, 4), (3, 4)), ((3, 4), (4,)), ((), ())):
            a, b = Shape(first), Shape(second)
            yield Case("MseLoss", (a, b, reduction), aten.mse_loss)
            gradient = a if reduction == 0 else Shape(())
            yield Case("MseLossBackward", (gradient, a, b, reduction), aten.mse_loss_backward)


def matrix() -> Iterable[Case]:
    for m, k, n in ((3, 4, 5), (1, 1, 1), (0, 3, 2), (2, 0, 3)):
        a, b = Shape((m, k)), Shape((k, n))
        yield Case("Mm", (a, b, 0), lambda x, y, _: x @ y)
        yield Case("Matmul", (a, b, 0), lambda x, y, _: x @ y)
        yield Case("BatchMatMul", (Shape((2, m, k)), Shape((2, k, n)), 0), lambda x, y, _: x @ y)
        for bias in ((n,), (m, n), (m, 1), ()):
            yield Case(
                "Addmm",
                (Shape(bias), a, b, 0.5, 2, 0),
                lambda s, x, y, beta, alpha, _: torch.addmm(s, x, y, beta=beta, alpha=alpha),
                2e-6,
            )
    for first, second in (((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 3)), ((2, 1, 3, 4), (5, 4, 2))):
        yield Case("Matmul", (Shape(first), Shape(second), 0), lambda x, y, _: x @ y)


def shape() -> Iterable[Case]:
    for dim in (0, 1, -1):
        yield Case("Stack", (Shapes(((3, 4), (3, 4), (3, 4))), dim), torch.stack)
    yield Case("Stack", (Shapes(((), ())), 0), torch.stack)
    for diagonal in (0, 1, -2):
        for name in ("Triu", "Tril"):
            for sizes in ((4, 4), (2, 3, 5), (0, 3)):
                yield Case(name, (Shape(sizes), diagonal), getattr(torch, name.lower()))


def foreach() -> Iterable[Case]:
    for items in LISTS:
        a, scalars = Shapes(items), [0.5 + i for i in range(len(items))]
        for name in LIST_UNARY.split():
            yield Case(f"Foreach{name}", (a,), getattr(torch, f"_foreach_{name.lower()}"))
        yield Case("ForeachCopy", (a,), lambda x: [t.clone() for t in x])
        yield Case("ForeachZeroInplace", (a,), lambda x: torch._foreach_zero_(x) or x)
        for name in ["Add", "Sub"]:
            function = getattr(torch, f"_foreach_{name.lower()}")
            yield Case(f"Foreach{name}ListV2", (a, a, 2), lambda x, y, v, f=function: f(x, y, alpha=v))
            yield Case(f"Foreach{name}ScalarV2", (a, 0.5), function)
            yield Case(f"Foreach{name}ScalarList", (a, scalars), function)
        for name in ["Mul", "Div", "Maximum", "Minimum"]:
            function = getattr(torch, f"_foreach_{name.lower()}")
            yield Case(f"Foreach{name}List", (a, a), function)
            yield Case(f"Foreach{name}ScalarV2", (a, 0.5), function)
            yield Case(f"Foreach{name}ScalarList", (a, scalars), function)
        for name in ["Addcmul", "Addcdiv"]:
            yield Case(f"Foreach{name}ScalarV2", (a, a, a, 0.5), getattr(torch, f"_foreach_{name.lower()}"))
        yield Case("ForeachLerpScalar", (a, a, 0.25), torch._foreach_lerp)
        yield Case("ForeachLerpList", (a, a, a), torch._foreach_lerp)
        for order in (1, 2):
            yield Case("ForeachNorm", (a, order), torch._foreach_norm)
