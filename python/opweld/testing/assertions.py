"""Assertions on tensors, wherever they are, and on lists of them. Each names the worst element."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opweld.testing.tolerances import compare


def assert_close(
    actual: Any, expected: Any, *, tolerance: float | None = None, check_dtype: bool = True
) -> None:
    """Fails unless shapes, dtypes and, within the dtype's tolerance, values are equal.

    Devices and strides may differ. `tolerance` (relative) stands for the dtype's; `check_dtype=False` allows
    an expected value of another dtype, as a reference in float64.
    """
    for name, mine, right in _pairs(actual, expected):
        if not isinstance(mine, Tensor) or not isinstance(right, Tensor):
            if mine != right and not (mine != mine and right != right):
                raise AssertionError(f"{name} is {mine!r} instead of {right!r}")
            continue
        if mine.shape != right.shape:
            raise AssertionError(f"{name} has shape {list(mine.shape)} instead of {list(right.shape)}")
        if check_dtype and mine.dtype != right.dtype:
            raise AssertionError(f"{name} is {mine.dtype} instead of {right.dtype}")
        found = compare(mine, right.detach().to("cpu", mine.dtype), tolerance)
        if not found.right:
            raise AssertionError(f"{name} ({mine.dtype}): {found.describe()}")


def assert_same_form(actual: Any, expected: Any) -> None:
    """Fails unless shapes, dtypes and strides are equal; a dimension of size 1 may have any stride."""
    for name, mine, right in _pairs(actual, expected):
        if isinstance(mine, Tensor) and isinstance(right, Tensor) and _form(mine) != _form(right):
            raise AssertionError(f"{name} is {_form(mine)} instead of {_form(right)}")


def assert_same_bits(actual: Any, expected: Any) -> None:
    """Fails unless tensors are equal bit for bit."""
    for name, mine, right in _pairs(actual, expected):
        if not isinstance(mine, Tensor) or not isinstance(right, Tensor):
            continue
        one, other = mine.detach().cpu().contiguous(), right.detach().cpu().contiguous()
        same = one.shape == other.shape and one.dtype == other.dtype
        if not same or not torch.equal(one.flatten().view(torch.uint8), other.flatten().view(torch.uint8)):
            raise AssertionError(f"{name} has other bits: {one} instead of {other}")


def _pairs(actual: Any, expected: Any) -> list[tuple[str, Any, Any]]:
    mine, right = _flat(actual), _flat(expected)
    if len(mine) != len(right):
        raise AssertionError(f"{len(mine)} results instead of {len(right)}")
    names = [f"result {index}" if len(mine) > 1 else "the result" for index in range(len(mine))]
    return list(zip(names, mine, right, strict=True))


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [item for part in value for item in _flat(part)]
    return [value]


def _form(tensor: Tensor) -> str:
    strides = [stride if size > 1 else 0 for size, stride in zip(tensor.shape, tensor.stride(), strict=True)]
    return f"{tensor.dtype} {list(tensor.shape)} with strides {strides}"
