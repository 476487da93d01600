"""Meta with symbolic shapes: sizes stay symbolic, and filled in they are the eager ones."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from opweld.verify import steps
from opweld.verify.arguments import Arguments, results_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.operators import Operator
from opweld.verify.verdict import Failure, Skip, Verdict, fails_as


def check_symbolic(context: Context) -> Verdict:
    """Runs Meta under fake tensors whose every size above 1 is a symbol."""
    operator = context.operator
    context.require_tensors()
    eager = context.eager()
    if operator.depends_on_data():
        raise Skip("the result's size depends on values")
    environment = ShapeEnv()
    mode = FakeTensorMode(shape_env=environment)

    def fake(tensor: Tensor) -> Any:
        dynamic = [DimDynamic.DYNAMIC if size > 1 else DimDynamic.STATIC for size in tensor.shape]
        symbols: Any = StatelessSymbolicContext(dynamic_sizes=dynamic)
        return mode.from_tensor(tensor, symbolic_context=symbols, static_shapes=False)

    positional, keywords = context.arguments.make(context.device)
    made = Arguments(positional, keywords).map(fake)
    with fails_as("symbolic", "Meta fails with symbolic sizes"), mode:
        told = results_in(operator.overload(*made.positional, **made.keywords))
    fixed = {str(symbol): value for symbol, value in environment.replacements.items() if value.is_number}
    for value in sorted({int(number) for number in fixed.values()}):
        if _takes_other_size(operator, context.arguments, value, context.device):
            raise Failure(
                "specialised",
                f"Meta fixes a dynamic size to {value}, although the operator takes other sizes",
            )
    for index, (fake_result, real) in enumerate(zip(told, eager, strict=False)):
        if isinstance(fake_result, Tensor) and isinstance(real, Tensor):
            sizes = [_hint(size) for size in fake_result.shape]
            if sizes != list(real.shape):
                raise Failure("shape", f"result {index} has shape {list(real.shape)}, with symbols {sizes}")
    return Verdict()


def _hint(size: Any) -> int:
    node = getattr(size, "node", None)
    return int(node.hint) if node is not None and node.hint is not None else int(size)


def _takes_other_size(operator: Operator, arguments: Arguments, size: int, device: str) -> bool:
    """Whether the operator accepts the sample with that size changed everywhere."""
    other = steps.apply(arguments, ("size", size, size + 3))
    if operator.rules is not None and not operator.rules.accepts(other):
        return False
    try:
        operator.call(other, device)
    except Exception:  # it does not
        return False
    return True


SYMBOLIC = Check(
    "symbolic",
    check_symbolic,
    limit=4,
    needs=("meta",),
    call="with torch._subclasses.FakeTensorMode() as mode: print({fake_call})",
)
