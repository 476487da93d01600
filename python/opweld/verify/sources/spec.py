"""Samples solved from a spec's dtypes and constraints."""

from __future__ import annotations

from typing import Any

import torch

from opweld.verify.arguments import Arguments
from opweld.verify.rules import SpecRules


def samples(rules: SpecRules, seed: int) -> list[Arguments]:
    """All solved samples, with the same random values for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    made = []
    for described in rules.model["samples"]:
        sizes = [size for shape in _shapes(described) for size in shape]
        high = max(1, min([*sizes, 3]))
        named = {name: _value(value, generator, high) for name, value in described.items()}
        made.append(Arguments(*rules.split(named)))
    return made


def _shapes(value: Any) -> list[list[int]]:
    if isinstance(value, dict):
        if "tensor" in value:
            return [value["tensor"]]
        value = list(value.values())
    return [shape for item in value for shape in _shapes(item)] if isinstance(value, list) else []


def _value(value: Any, generator: torch.Generator, high: int) -> Any:
    if isinstance(value, list):
        return [_value(item, generator, high) for item in value]
    if not isinstance(value, dict):
        return value
    if "torch" in value:
        return getattr(torch, value["torch"])
    if "device" in value:
        return torch.device(value["device"])
    return random_tensor(value["tensor"], getattr(torch, value["dtype"]), generator, high)


def random_tensor(
    shape: list[int], dtype: torch.dtype, generator: torch.Generator, high: int = 3
) -> torch.Tensor:
    """Normal numbers, or integers from 0 below `high`, which may be indices."""
    if dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=torch.complex128).to(dtype)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
    limit = 2 if dtype == torch.bool else high
    return torch.randint(0, limit, shape, generator=generator).to(dtype)
