"""A user's samples and references: a Python file with `SAMPLES` and `REFERENCES`.

    REFERENCES = {"my::scale": lambda x, factor=2.0: x * factor}
    SAMPLES = {"my::scale": lambda dtype: [((torch.randn(3, 4).to(dtype),), {"factor": 0.5})]}

A value of `SAMPLES` is called with each dtype (torch.float32, torch.float16, torch.bfloat16, or those that
`DTYPES` in the file names), and returns (arguments, keywords) with tensors on the CPU. torch's seed is set
before that, and before the file runs. Both tables are optional, and so are their entries.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from opweld.device import reason
from opweld.errors import UsageError
from opweld.verify.arguments import Arguments, map_tensors

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@dataclass
class SampleFile:
    """What the file defines."""

    path: Path
    samples: dict[str, Callable[[torch.dtype], Any]] = field(default_factory=dict)
    references: dict[str, Callable[..., Any]] = field(default_factory=dict)
    dtypes: tuple[torch.dtype, ...] = DTYPES

    def of(self, operator: str, seed: int) -> list[Arguments]:
        """The samples of an operator. Raises UsageError where the file does not give them as it should."""
        found = []
        for dtype in self.dtypes:
            torch.manual_seed(seed)
            try:
                made = list(self.samples[operator](dtype))
                for positional, keywords in made:
                    found.append(_arguments(positional, keywords))
            except Exception as error:  # whatever a user's file raises
                raise UsageError(
                    f"SAMPLES[{operator!r}] of {self.path} must return (arguments, keywords) pairs: "
                    f"{reason(error)}"
                ) from error
        return found


def _arguments(positional: Any, keywords: Any) -> Arguments:
    def copy(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().cpu().contiguous().clone()

    return Arguments(
        tuple(map_tensors(value, copy) for value in positional),
        {name: map_tensors(value, copy) for name, value in dict(keywords).items()},
    )


def load(path: Path, seed: int) -> SampleFile:
    """Runs the file after torch's seed was set: all workers then see the same numbers. Raises UsageError."""
    torch.manual_seed(seed)
    try:
        defined = runpy.run_path(str(path))
    except Exception as error:  # whatever a user's file raises
        raise UsageError(f"the file of samples {path} cannot be run: {reason(error)}") from error
    samples, references = defined.get("SAMPLES", {}), defined.get("REFERENCES", {})
    if not samples and not references:
        raise UsageError(f"{path} defines neither SAMPLES nor REFERENCES (see docs/guide/verify.md)")
    return SampleFile(path, samples, references, tuple(defined.get("DTYPES", DTYPES)))
