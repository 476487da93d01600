"""What a plain call gives: all of it written, the same bits twice, and what the reference says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from opweld.device import reason
from opweld.verify.arguments import tensors_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.compare import as_bytes, only_nan, require_close, same_bits, to_host
from opweld.verify.operators import Reference
from opweld.verify.verdict import Failure, Skip, Verdict, beyond_device

BLOCKS = 6


@contextmanager
def filled_memory() -> Iterator[None]:
    """PyTorch fills what `torch.empty` returns: NaN, or the largest integer."""
    enabled = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    torch._C._set_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch._C._set_deterministic_algorithms(enabled, warn_only=warn_only)


def check_outputs(context: Context) -> Verdict:
    """Memory is filled before the kernel runs; an element that still has that value was not written."""
    plain = context.eager()
    shaped = [item for item in plain if isinstance(item, Tensor) and item.numel()]
    if not shaped or context.operator.schema.is_mutable:
        return Verdict()
    first, second = (_after_filling(context, shaped, which) for which in (0, 1))
    with filled_memory():
        filled = context.eager()
    for index, items in enumerate(zip(first, second, filled, plain, strict=True)):
        if not all(isinstance(item, Tensor) for item in items) or len({item.shape for item in items}) > 1:
            continue
        missing = _unwritten(context, index, *items)
        if bool(missing.any()):
            place = int(missing.flatten().nonzero()[0])
            where = [int(i) for i in torch.unravel_index(torch.tensor(place), missing.shape)]
            told = f"{int(missing.sum())} of {missing.numel()} elements are not written, first {where}"
            raise Failure("unwritten", f"result {index}: {told}")
    return Verdict()


def _filled_like(tensor: Tensor, which: int, device: Any = None) -> Tensor:
    """A tensor of that form full of one of two values that every dtype tells apart."""
    value = (False, True)[which] if tensor.dtype == torch.bool else (77, 99)[which]
    return torch.full(tensor.shape, value, dtype=tensor.dtype, device=device or tensor.device)


def _after_filling(context: Context, shaped: list[Tensor], which: int) -> list[Any]:
    """The results of a call that is likely to get memory in which one of the two values lay."""
    operator, device = context.operator, context.device
    positional, keywords = context.arguments.make(device)
    for result in shaped:
        blocks = [_filled_like(result, which, device) for _ in range(BLOCKS)]
        del blocks
    return to_host(operator.run(device, positional, keywords))


def _unwritten(
    context: Context, index: int, first: Tensor, second: Tensor, filled: Tensor, plain: Tensor
) -> Tensor:
    """Where result `index` holds what lay in its memory."""
    missing = _same(first, _filled_like(first, 0)) & _same(second, _filled_like(second, 1))
    fill = torch.isnan(filled) if _is_floating(filled) else _largest(filled)
    for other in (plain, first, second):
        missing = missing | (fill & ~_same(filled, other))
    poisoned = context.device == "npu" and os.environ.get("OPWELD_POISON") == "1"
    if poisoned and _is_floating(filled):
        ones = (as_bytes(filled) == 0xFF).all(dim=1).reshape(filled.shape)
        missing = missing | (ones & ~_may_be_nan(context, index, filled))
    return missing


def _may_be_nan(context: Context, index: int, result: Tensor) -> Tensor:
    """Where the reference is NaN, or nothing is known: vector code computes the very NaN that poison is."""
    nowhere = torch.zeros(result.shape, dtype=torch.bool)
    for _, reference in context.operator.references(context.device):
        try:
            expected = _expected(context, reference, None)[0][index]
        except Exception:  # a reference may not take the dtype, or have fewer results
            continue
        if isinstance(expected, Tensor) and expected.shape == result.shape:
            return torch.isnan(expected)
    return ~nowhere


def _same(first: Tensor, second: Tensor) -> Tensor:
    return (as_bytes(first) == as_bytes(second)).all(dim=1).reshape(first.shape)


def _is_floating(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _largest(tensor: Tensor) -> Tensor:
    if tensor.dtype == torch.bool:
        return tensor
    return tensor == torch.iinfo(tensor.dtype).max


def check_determinism(context: Context) -> Verdict:
    """Three calls give the same bits."""
    first = context.eager()
    for _ in range(2):
        again = context.eager()
        for index, (mine, other) in enumerate(zip(first, again, strict=True)):
            if not same_bits(mine, other):
                raise Failure("nondeterministic", f"result {index} has other bits in a second call")
    return Verdict()


def check_result(context: Context) -> Verdict:
    """The results, and arguments that are written into, against the reference."""
    operator, device = context.operator, context.device
    try:
        positional, keywords = context.arguments.make(device)
    except Exception as error:  # a device may lack the dtype
        raise Skip(f"the arguments cannot be made on {device}: {reason(error)}") from error
    try:
        got = to_host(operator.run(device, positional, keywords))
    except Exception as error:  # an operator may raise anything
        if reason_not := beyond_device(error):
            raise Skip(reason_not) from error
        if operator.returns_views() and context.arguments.layout != "contiguous":
            raise Skip(f"no view is possible of this memory: {reason(error)}") from error
        if not operator.knows_arguments():
            raise Skip(f"arguments made from the schema are refused: {reason(error)}") from error
        raise Failure("raises", f"the call fails: {reason(error)}") from error
    if operator.is_random():
        return Verdict(caution="the operator is random: values were not compared")
    written = to_host([_argument(positional, keywords, place) for place in operator.mutated()])
    failures: list[Failure] = []
    unknown = ""
    for name, reference in operator.references(device):
        for dtype in (torch.float64, None):
            try:
                expected, changed = _expected(context, reference, dtype)
            except Exception as error:  # a reference may not take the dtype
                fault = operator.reference_fault(name, error)
                failures += [fault] if fault is not None else []
                unknown = f"{name} cannot be computed: {reason(error)}"
                continue
            try:
                both = reference is operator.overload
                verdict = require_close(
                    got + (written if both else []),
                    expected + (changed if both else []),
                    name,
                    any_dtype=dtype is not None,
                )
            except Failure as failure:
                failures.insert(0, failure)
                continue
            if only_nan(got):
                raise Skip("only NaN was compared with NaN", "nan")
            verdict.caution = operator.caution(device)
            return verdict
    if failures:
        raise min((f for f in failures if f.kind == "value"), key=lambda f: f.error or 0, default=failures[0])
    if unknown:
        raise Skip(unknown)
    return Verdict("the call succeeded", operator.caution(device))


def _argument(positional: tuple[Any, ...], keywords: dict[str, Any], place: int | str) -> Any:
    return positional[place] if isinstance(place, int) else keywords.get(place)


def _expected(
    context: Context, reference: Reference, dtype: torch.dtype | None
) -> tuple[list[Any], list[Any]]:
    """The reference's results, and the arguments that it wrote into."""
    if dtype is not None and not any(
        t.is_floating_point() for t in tensors_in(list(context.arguments.tensors()))
    ):
        raise TypeError("no floating-point argument")
    positional, keywords = context.arguments.make("cpu", dtype=dtype)
    with torch.no_grad():
        results = to_host(reference(*positional, **keywords))
    changed = [_argument(positional, keywords, place) for place in context.operator.mutated()]
    return results, to_host(changed)


OUTPUTS = Check(
    "outputs",
    check_outputs,
    cases="all",
    call="torch.use_deterministic_algorithms(True, warn_only=True); print({call})",
)
DETERMINISM = Check("determinism", check_determinism, cases="all", needs_case=("outputs",))
RESULT = Check("result", check_result, cases="all", needs_case=("outputs", "determinism"))
