"""Samples made from an operator's schema alone, for operators without a spec."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from opweld.device import reason
from opweld.samples import Sample, UnsupportedArgument, meta_samples
from opweld.verify.arguments import Arguments, map_tensors
from opweld.verify.operators import Operator
from opweld.verify.sources.spec import random_tensor
from opweld.verify.verdict import Skip

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
PER_DTYPE = 3
ATTEMPTS = 60


def samples(operator: Operator, seed: int) -> list[Arguments]:
    """Arguments that the Meta kernel accepts (the device's kernel where there is no Meta). Raises Skip."""
    found: list[Arguments] = []
    last: Exception | None = None
    for dtype in DTYPES:
        generator = torch.Generator().manual_seed(seed)
        accepted = 0
        try:
            candidates = itertools.islice(meta_samples(operator.schema), ATTEMPTS)
            for candidate in candidates:
                arguments = _real(candidate, dtype, generator)
                try:
                    _try(operator, arguments)
                except Exception as error:  # an operator may raise anything
                    last = error
                    continue
                found.append(arguments)
                accepted += 1
                if accepted == PER_DTYPE:
                    break
        except UnsupportedArgument as error:
            raise Skip(f"{error}; give samples of your own: --samples FILE.py") from error
    if not found:
        told = f": {reason(last)}" if last else ""
        raise Skip(f"no arguments made from the schema were accepted{told}; use --samples FILE.py")
    return found


def _try(operator: Operator, arguments: Arguments) -> None:
    device = "meta" if operator.has_kernel("meta") else next(iter(operator.devices()), "meta")
    operator.call(arguments, device)


def _real(sample: Sample, dtype: torch.dtype, generator: torch.Generator) -> Arguments:
    def real(tensor: torch.Tensor) -> Any:
        return random_tensor(list(tensor.shape), dtype, generator)

    positional, keywords = sample
    return Arguments(
        tuple(_host(map_tensors(value, real)) for value in positional),
        {name: _host(map_tensors(value, real)) for name, value in keywords.items()},
    )


def _host(value: Any) -> Any:
    return torch.device("cpu") if isinstance(value, torch.device) else value
