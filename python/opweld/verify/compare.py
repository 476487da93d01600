"""Compares whole results and turns a difference into a Failure."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opweld.testing.tolerances import compare
from opweld.verify.arguments import describe, results_in
from opweld.verify.verdict import Failure, Verdict


def to_host(value: Any) -> list[Any]:
    """The results of a call as independent tensors on the CPU."""
    return [item.detach().cpu().clone() if isinstance(item, Tensor) else item for item in results_in(value)]


def require_close(
    got: list[Any],
    expected: list[Any],
    against: str,
    *,
    allowed: float | None = None,
    any_dtype: bool = False,
    what: str = "the result",
) -> Verdict:
    """Verdict with error and histogram. Raises Failure where form or values differ. `what`: the only result.

    `any_dtype`: the expected values may have another dtype, as those of a reference in float64.
    """
    if len(got) != len(expected):
        raise Failure("count", f"{len(got)} results, but {against} has {len(expected)}")
    verdict = Verdict(error=0.0)
    for index, (mine, right) in enumerate(zip(got, expected, strict=True)):
        name = f"result {index}" if len(got) > 1 else what
        if isinstance(mine, Tensor) != isinstance(right, Tensor):
            raise Failure("kind", f"{name} is {describe(mine)}, that of {against} {describe(right)}")
        if not isinstance(mine, Tensor):
            if mine != right and not (mine != mine and right != right):
                raise Failure("value", f"{name} is {mine!r}, that of {against} {right!r}")
            continue
        _require_form(mine, right, name, against, any_dtype)
        wanted = right.to(mine.dtype) if any_dtype else right
        found = compare(mine, wanted, allowed)
        verdict.error = max(verdict.error or 0.0, found.error)
        for power, count in found.histogram.items():
            verdict.histogram[power] = verdict.histogram.get(power, 0) + count
        if not found.right:
            failure = Failure("value", f"{name} differs from {against}: {found.describe()}", found.error)
            failure.histogram = verdict.histogram
            raise failure
    return verdict


def _require_form(mine: Tensor, right: Tensor, name: str, against: str, any_dtype: bool) -> None:
    if mine.shape != right.shape:
        raise Failure("shape", f"{name} has shape {list(mine.shape)}, that of {against} {list(right.shape)}")
    if mine.dtype != right.dtype and not any_dtype:
        raise Failure("dtype", f"{name} is {mine.dtype}, that of {against} {right.dtype}")


def only_nan(results: list[Any]) -> bool:
    """Whether the results have elements, and all of them are NaN."""
    found = [item for item in results if isinstance(item, Tensor) and item.numel()]
    return bool(found) and all(bool(torch.isnan(item).all()) for item in found)


def same_bits(first: Any, second: Any) -> bool:
    """Whether two results on the CPU are equal bit for bit."""
    if not isinstance(first, Tensor) or not isinstance(second, Tensor):
        return bool(first == second or (first != first and second != second))
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    return torch.equal(as_bytes(first), as_bytes(second))


def as_bytes(tensor: Tensor) -> Tensor:
    """The bytes of a tensor on the CPU, one row per element."""
    flat = tensor.contiguous().flatten()
    return flat.view(torch.uint8).reshape(flat.numel(), flat.element_size())
