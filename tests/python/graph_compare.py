"""Functions through torchair and the graph engine against the same functions on the CPU."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torchair
from torch.utils._pytree import tree_flatten, tree_map

Function = Callable[..., Any]

TOLERANCES = {
    torch.float64: (1e-10, 1e-12),
    torch.float32: (1e-4, 1e-5),
    torch.float16: (5e-3, 1e-2),
    torch.bfloat16: (3e-2, 3e-2),
}


def compiled(function: Function, *, dynamic: bool = False) -> Function:
    """The function as a graph."""
    torch._dynamo.reset()
    backend = torchair.get_npu_backend(compiler_config=torchair.CompilerConfig())
    return torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)


def to_npu(values: Any) -> Any:
    """Tensors in any nest of lists on the NPU, with gradients where they have them."""

    def move(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.detach().npu().requires_grad_(value.requires_grad)

    return tree_map(move, values)


def assert_same(actual: Any, expected: Any, what: str, **tolerance: float) -> None:
    """Same number, dtypes, shapes and values."""
    given, _ = tree_flatten(actual)
    wanted, _ = tree_flatten(expected)
    assert len(given) == len(wanted), f"{what}: {len(given)} results, expected {len(wanted)}"
    for number, (a, e) in enumerate(zip(given, wanted, strict=True)):
        if not isinstance(e, torch.Tensor):
            assert a == e, f"{what}: result {number} is {a}, expected {e}"
            continue
        rtol, atol = TOLERANCES.get(e.dtype, (0.0, 0.0))
        torch.testing.assert_close(
            a.detach().cpu(),
            e.detach(),
            rtol=tolerance.get("rtol", rtol),
            atol=tolerance.get("atol", atol),
            equal_nan=True,
            msg=lambda text, number=number: f"{what}, result {number}: {text}",
        )


def reference(function: Function, inputs: Any) -> Any:
    """What the function gives on the CPU; of 16-bit inputs computed in float32, and rounded."""
    leaves = [value for value in tree_flatten(inputs)[0] if isinstance(value, torch.Tensor)]
    narrow = next((value.dtype for value in leaves if value.dtype in (torch.float16, torch.bfloat16)), None)
    if narrow is None:
        return function(*inputs)

    def widen(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype != narrow:
            return value
        return value.detach().float().requires_grad_(value.requires_grad)

    def round_off(value: Any) -> Any:
        return value.to(narrow) if isinstance(value, torch.Tensor) and value.dtype == torch.float32 else value

    return tree_map(round_off, function(*tree_map(widen, inputs)))


def check(
    what: str,
    function: Function,
    *inputs: Any,
    expected: Any = None,
    dynamic: bool = False,
    **tolerance: float,
) -> None:
    """The compiled function on the NPU against `expected`, or against itself on the CPU."""
    wanted = reference(function, inputs) if expected is None else expected
    assert_same(compiled(function, dynamic=dynamic)(*to_npu(inputs)), wanted, what, **tolerance)


def gradients(function: Function) -> Function:
    """A function that gives the results of `function`, and the gradients of its inputs that want one."""

    def both(*inputs: Any) -> list[torch.Tensor]:
        result = function(*inputs)
        leaves = [
            value for value in tree_flatten(inputs)[0] if torch.is_tensor(value) and value.requires_grad
        ]
        weight = torch.linspace(0.5, 1.5, result.numel(), device=result.device).reshape(result.shape)
        weight = weight.to(
            torch.bfloat16
        ).float()  # the gradient that goes back is then the same in each dtype
        return [result, *torch.autograd.grad((result * weight).sum(), leaves)]

    return both


def check_gradients(
    what: str, function: Function, *inputs: Any, dynamic: bool = False, **tolerance: float
) -> None:
    """Results and gradients of a function whose forward and backward are graphs."""
    graph = compiled(function, dynamic=dynamic)
    actual = gradients(graph)(*to_npu(inputs))
    assert_same(actual, reference(gradients(function), inputs), what, **tolerance)


def run_all(cases: Iterable[tuple[str, Callable[[], None]]]) -> int:
    """Runs all cases, and raises one error that names all that failed."""
    failed = []
    count = 0
    for name, case in cases:
        count += 1
        try:
            case()
        except Exception as error:  # all failures are told together
            failed.append(f"{name}: {type(error).__name__}: {str(error)[:600]}")
    assert not failed, f"{len(failed)} of {count} cases failed:\n" + "\n".join(failed)
    return count
