"""Which samples an operator is examined with: dtypes, layouts, empty, 0-d and large ones."""

from __future__ import annotations

import math

from opweld.verify import steps
from opweld.verify.arguments import Arguments
from opweld.verify.form import differs
from opweld.verify.model import Case, Step
from opweld.verify.operators import Operator, dtype_label

PER_DTYPE = 4
LARGE_NUMEL = 40_000


def build(operator: Operator, case: Case) -> Arguments:
    """The arguments of a case."""
    arguments = operator.samples[case.index]
    for step in case.steps:
        arguments = steps.apply(arguments, step)
    return Arguments(arguments.positional, arguments.keywords, case.layout)


def cases(operator: Operator, seed: int, dtypes: tuple[str, ...] = ()) -> list[Case]:
    """The cases of all dtypes, or of those named; those of one dtype stand together."""
    by_dtype: dict[str, list[int]] = {}
    for index, arguments in enumerate(operator.samples):
        by_dtype.setdefault(dtype_label(arguments), []).append(index)
    found: list[Case] = []
    for label, indices in by_dtype.items():
        if dtypes and not set(dtypes) & set(label.split("/")):
            continue
        found += _of_dtype(operator, label, indices, seed)
    return found


def _of_dtype(operator: Operator, label: str, indices: list[int], seed: int) -> list[Case]:
    plain = [index for index in indices if size_class(operator.samples[index]) == "small"]
    chosen = _varied(operator, plain)
    found = [Case(index, label, f"small {number}") for number, index in enumerate(chosen, 1)]
    for size in ("0-d", "empty"):
        special = [index for index in indices if size_class(operator.samples[index]) == size]
        found += [Case(index, label, size) for index in special[:1]]
    for number, index in enumerate(chosen, 1):
        found += _layouts(operator, index, label, f"small {number}", found)
    for size in ("0-d", "empty", "large"):
        if any(case.size == size for case in found):
            continue
        for index in chosen or indices[:1]:
            made = _of_size(operator, index, size, seed)
            if made is not None:
                found.append(Case(index, label, size, steps=made))
                break
    return found


def size_class(arguments: Arguments) -> str:
    """`empty`, `0-d` (no tensor has a dimension) or `small`."""
    tensors = arguments.tensors()
    if any(tensor.numel() == 0 for tensor in tensors):
        return "empty"
    return "0-d" if tensors and all(tensor.ndim == 0 for tensor in tensors) else "small"


def _varied(operator: Operator, indices: list[int]) -> list[int]:
    """Some of the samples: first those that differ in ranks and in which arguments are there."""
    groups: dict[str, list[int]] = {}
    for index in indices:
        arguments = operator.samples[index]
        form = str([tensor.ndim for tensor in arguments.tensors()]) + str(arguments.keywords)[:80]
        groups.setdefault(form, []).append(index)
    interest = {index: _interest(operator, operator.samples[index]) for index in indices}
    first = [max(group, key=interest.__getitem__) for group in groups.values()]
    first.sort(key=lambda index: -interest[index])
    rest = [index for index in indices if index not in first]
    return (first + rest)[:PER_DTYPE]


def _interest(operator: Operator, arguments: Arguments) -> float:
    """How much a sample can show.

    Most where the spec's shapes or dtypes are not those of its reference; else by sizes above 1, different
    ones above all, as a square hides which size is meant; not too many elements, two dimensions or more.
    """
    if differs(operator, arguments):
        return math.inf
    tensors = arguments.tensors()
    above = sum(size > 1 for tensor in tensors for size in tensor.shape)
    different = sum(len({size for size in tensor.shape if size > 1}) for tensor in tensors)
    total = sum(tensor.numel() for tensor in tensors)
    return above + 2 * different + sum(tensor.ndim >= 2 for tensor in tensors) - (2 if total > 4096 else 0)


def _layouts(operator: Operator, index: int, label: str, size: str, found: list[Case]) -> list[Case]:
    """The layouts that no case of this dtype has yet and that this sample can have."""
    arguments = operator.samples[index]
    known = {case.layout for case in found}
    made = []
    for layout, minimum in (("transposed", 2), ("sliced", 1), ("expanded", 1)):
        if layout in known or not any(t.ndim >= minimum and t.numel() > 1 for t in arguments.tensors()):
            continue
        if layout == "expanded":
            if operator.schema.is_mutable or not accepted(operator, steps.apply(arguments, ("expand",))):
                continue
            made.append(Case(index, label, size, layout, (("expand",),)))
        else:
            made.append(Case(index, label, size, layout))
    return made


def _of_size(operator: Operator, index: int, size: str, seed: int) -> tuple[Step, ...] | None:
    """Steps that make the sample empty, 0-d or large; None where the operator takes no such sample."""
    arguments = operator.samples[index]
    sizes = sorted({size for tensor in arguments.tensors() for size in tensor.shape})
    for candidate in _candidates(arguments, size, sizes, seed):
        if candidate and _reaches(operator, arguments, candidate):
            return candidate
    return None


def _candidates(arguments: Arguments, size: str, sizes: list[int], seed: int) -> list[tuple[Step, ...]]:
    if size == "empty":
        return [(("size", old, 0),) for old in sizes if old > 0]
    if size == "0-d":
        flat: list[Step] = []
        for place, value in [*enumerate(arguments.positional), *arguments.keywords.items()]:
            flat += [("rank", place, 0) for _ in range(getattr(value, "ndim", 0))]
        return [tuple(flat)]
    rank = max((tensor.ndim for tensor in arguments.tensors()), default=0)
    if not rank:
        return []
    edge = max(2, int(LARGE_NUMEL ** (1 / rank)))
    growing = [old for old in sizes if old > 1]
    # From the largest on, so that a new size is never taken for an old one.
    every = tuple(
        ("grow", old, edge + position, seed) for position, old in reversed(list(enumerate(growing)))
    )
    return [every, *[(("grow", old, edge, seed),) for old in reversed(growing)]]


def _reaches(operator: Operator, arguments: Arguments, candidate: tuple[Step, ...]) -> bool:
    try:
        for step in candidate:
            arguments = steps.apply(arguments, step)
    except (IndexError, RuntimeError):
        return False
    return accepted(operator, arguments)


def accepted(operator: Operator, arguments: Arguments) -> bool:
    """Whether the operator takes these arguments, as far as its spec, its reference or Meta can tell."""
    if operator.rules is not None:
        return operator.rules.accepts(arguments)
    references = operator.references("npu" if "npu" in operator.devices() else "cpu")
    try:
        if references:
            positional, keywords = arguments.make("cpu")
            references[0][1](*positional, **keywords)
        operator.call(arguments, "meta")
    except NotImplementedError:  # no Meta, which is a finding of its own
        return bool(references)
    except Exception:  # it does not; a reference may take more than the operator
        return False
    return True
