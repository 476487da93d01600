"""Samples whose results say something: positive numbers where normal ones give NaN or an infinity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from opweld.verify.arguments import Arguments, results_in

LOW, HIGH = 0.5, 1.5


def settled(samples: list[Arguments], reference: Callable[..., Any], seed: int) -> list[Arguments]:
    """The samples; with numbers between LOW and HIGH where the reference is finite with those only."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for arguments in samples:
        if _is_finite(reference, arguments) is False:
            positive = arguments.map(lambda tensor: positive_like(tensor, generator))
            found.append(positive if _is_finite(reference, positive) else arguments)
        else:
            found.append(arguments)
    return found


def positive_like(tensor: Tensor, generator: torch.Generator) -> Tensor:
    """Numbers between LOW and HIGH in the form of a floating-point tensor; others stay as they are."""
    if not tensor.is_floating_point():
        return tensor
    made = LOW + (HIGH - LOW) * torch.rand(tensor.shape, generator=generator, dtype=torch.float64)
    return made.to(tensor.dtype)


def is_positive(tensor: Tensor) -> bool:
    """Whether the numbers could be from `positive_like`."""
    return bool(tensor.numel()) and bool(((tensor >= LOW) & (tensor <= HIGH)).all())


def _is_finite(reference: Callable[..., Any], arguments: Arguments) -> bool | None:
    """Whether the reference's results are; None where it cannot be computed."""
    for dtype in (torch.float64, None):
        positional, keywords = arguments.make("cpu", dtype=dtype)
        try:
            with torch.no_grad():
                results = results_in(reference(*positional, **keywords))
        except Exception:  # a reference may not take the dtype
            continue
        return all(bool(torch.isfinite(item).all()) for item in results if isinstance(item, Tensor))
    return None
