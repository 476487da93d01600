"""How far results may be from what is right, by dtype, and where they are farthest from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

TOLERANCES: dict[torch.dtype, float] = {
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
    torch.float32: 5e-5,
    torch.float64: 1e-9,
    torch.complex64: 5e-5,
    torch.complex128: 1e-9,
}
# Values smaller than this are not held to their own size, since differences of larger ones make them.
FLOOR = 0.05


@dataclass
class Comparison:
    """`error` is the worst difference as a multiple of what is allowed; right where it is at most 1.

    `histogram` counts elements by the power of ten of their difference relative to their size, and those that
    are `equal`.
    """

    error: float = 0.0
    where: tuple[int, ...] = ()
    got: Any = None
    expected: Any = None
    histogram: dict[str, int] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether the difference is within the tolerance."""
        return self.error <= 1.0

    def describe(self) -> str:
        """The worst element, for people."""
        place = f"element {list(self.where)}: " if self.where else ""
        return f"{place}{self.got} instead of {self.expected}, {self.error:.3g} times the allowed difference"


def tolerance(dtype: torch.dtype) -> float:
    """The relative tolerance of a dtype; 0 for integers and bool."""
    return TOLERANCES.get(dtype, 0.0)


def compare(got: Tensor, expected: Tensor, allowed: float | None = None) -> Comparison:
    """Compares values element by element; shapes must be equal. NaN equals NaN, infinities by their sign.

    `allowed` stands for the dtype's tolerance. A difference is allowed up to that share of the expected value
    plus that share of the tensor's quadratic mean (at least FLOOR).
    """
    dtype = got.dtype
    mine, right = _wide(got), _wide(expected)
    if mine.numel() == 0:
        return Comparison()
    share = tolerance(dtype) if allowed is None else allowed
    finite = right[torch.isfinite(right)].abs()
    mean = finite.square().mean().sqrt().item() if finite.numel() else 0.0
    bound = share * (right.abs() + max(mean, FLOOR))
    difference = (mine - right).abs()
    same = (mine == right) | (torch.isnan(mine) & torch.isnan(right))
    ratio = torch.where(bound > 0, difference / bound, difference * float("inf"))
    ratio = torch.nan_to_num(ratio, nan=float("inf"), posinf=float("inf"))
    ratio = torch.where(same, torch.zeros_like(ratio), ratio)
    worst = int(ratio.argmax())
    where = tuple(int(i) for i in torch.unravel_index(torch.tensor(worst), right.shape))
    relative = torch.where(same, 0.0, difference / right.abs().clamp(min=max(mean, FLOOR)))
    return Comparison(
        float(ratio.flatten()[worst]),
        where,
        got.detach().cpu()[where].item(),
        expected.detach().cpu()[where].item(),
        _histogram(relative),
    )


def _wide(tensor: Tensor) -> Tensor:
    host = tensor.detach().cpu()
    return host.to(torch.complex128) if host.is_complex() else host.to(torch.float64)


def _histogram(relative: Tensor) -> dict[str, int]:
    flat = relative.flatten()
    equal = int((flat == 0).sum())
    counts = {"equal": equal} if equal else {}
    others = flat[flat != 0]
    if others.numel():
        powers = torch.nan_to_num(others.log10().floor(), nan=9, posinf=9, neginf=-18).clamp(-18, 9)
        for power in powers.int().tolist():
            counts[str(power)] = counts.get(str(power), 0) + 1
    return counts
