"""Before a kernel runs: the shapes and dtypes that the spec states, against those of its reference."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opweld.verify.arguments import Arguments, results_in
from opweld.verify.operators import Operator
from opweld.verify.verdict import Failure


def require_form(operator: Operator, arguments: Arguments) -> None:
    """Raises Failure where they differ: the kernel would be given memory that does not fit its results."""
    rules = operator.rules
    if (
        rules is None
        or rules.reference is None
        or operator.depends_on_data()
        or not operator.has_kernel("meta")
    ):
        return
    try:
        stated = results_in(operator.call(arguments, "meta"))
    except Exception:  # that is the check `meta`'s subject
        return
    expected = _results(rules.reference, arguments)
    names = [output["name"] for output in rules.model["outputs"]]
    if len(stated) != len(expected):
        return
    for index, (mine, right) in enumerate(zip(stated, expected, strict=True)):
        if not isinstance(mine, Tensor) or not isinstance(right, Tensor):
            continue
        of = _of(rules.model, names[index]) if len(names) == len(stated) else ""
        if mine.shape != right.shape:
            told = f"the spec's shape{of} gives {list(mine.shape)}, the reference gives {list(right.shape)}"
            raise Failure("form", told)
        if _sort(mine) != _sort(right):
            raise Failure(
                "form", f"the spec's type{of} gives {mine.dtype}, the reference gives {right.dtype}"
            )


def differs(operator: Operator, arguments: Arguments) -> bool:
    """Whether they differ."""
    try:
        require_form(operator, arguments)
    except Failure:
        return True
    return False


def _of(model: dict[str, Any], output: str) -> str:
    """Which output it is, and where the spec describes it."""
    line = model["output_lines"].get(output)
    place = f" (line {line})" if line else ""
    return f" of '{output}'{place}" if len(model["outputs"]) > 1 else place


def _results(reference: Any, arguments: Arguments) -> list[Any]:
    """The reference's results; empty where it cannot be computed, which is the check `result`'s subject."""
    for dtype in (None, torch.float64):  # it may lack a dtype
        positional, keywords = arguments.make("cpu", dtype=dtype)
        try:
            with torch.no_grad():
                return results_in(reference(*positional, **keywords))
        except Exception:  # a user's expression may raise anything
            continue
    return []


def _sort(tensor: Tensor) -> str:
    """Whether it holds integers, numbers with a point, complex ones or bools; a reference may be wider."""
    if tensor.dtype == torch.bool:
        return "bool"
    if tensor.is_complex():
        return "complex"
    return "floating" if tensor.is_floating_point() else "integer"
