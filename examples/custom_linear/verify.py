"""Proves npu_custom_linear right: values and gradients against linear's, shapes on the meta device."""

from __future__ import annotations

from dataclasses import dataclass

import custom_linear
import torch
from torch import Tensor
from torch.nn.functional import linear

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
TOLERANCES = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}
SHAPES = [(4, 8, 16), (1, 1, 1), (33, 65, 17), (7, 130, 200)]  # rows, in_features, out_features


@dataclass
class Case:
    """One comparison: the largest difference, relative to the values' size, and what is allowed."""

    what: str
    error: float
    allowed: float

    @property
    def passed(self) -> bool:
        """Whether the difference is within the tolerance (a NaN is not)."""
        return self.error <= self.allowed


def difference(result: Tensor, expected: Tensor) -> float:
    """The largest difference, relative to the largest expected value."""
    if result.shape != expected.shape or result.dtype != expected.dtype:
        return float("inf")
    wide, right = result.detach().cpu().double(), expected.detach().cpu().double()
    return ((wide - right).abs().max() / right.abs().max().clamp(min=1e-6)).item() if right.numel() else 0.0


def verify_case(
    device: str, dtype: torch.dtype, shape: tuple[int, int, int], bias: bool, layout: str
) -> list[Case]:
    """Forward and backward of one input, in one memory layout."""
    rows, in_features, out_features = shape
    generator = torch.Generator().manual_seed(rows)

    def tensor(*sizes: int) -> Tensor:
        return torch.randn(*sizes, generator=generator).to(dtype)

    x, weight = tensor(2, rows, in_features), tensor(out_features, in_features)
    if layout == "transposed":
        x, weight = tensor(2, in_features, rows).transpose(1, 2), tensor(in_features, out_features).t()
    arguments = [x, weight] + ([tensor(out_features)] if bias else [])
    ours = [t.to(device).detach().requires_grad_() for t in arguments]
    theirs = [t.double().detach().requires_grad_() for t in arguments]
    result = custom_linear.npu_custom_linear(*ours, use_bias=bias)
    expected = linear(*theirs)
    weights = tensor(*expected.shape)
    gradients = torch.autograd.grad(result, ours, weights.to(device))
    expected_gradients = torch.autograd.grad(expected, theirs, weights.double())
    name = f"{str(dtype).removeprefix('torch.')} {list(x.shape)} x {list(weight.shape)} {layout}" + (
        " bias" if bias else ""
    )
    cases = [Case(f"{name}: value", difference(result, expected.to(dtype)), TOLERANCES[dtype])]
    for label, ours_gradient, right in zip(
        ("x", "weight", "bias"), gradients, expected_gradients, strict=False
    ):
        cases.append(
            Case(
                f"{name}: gradient of {label}", difference(ours_gradient, right.to(dtype)), TOLERANCES[dtype]
            )
        )
    meta = custom_linear.npu_custom_linear(*(t.to("meta") for t in arguments), use_bias=bias)
    same = (meta.shape, meta.stride(), meta.dtype) == (result.shape, result.stride(), result.dtype)
    cases.append(Case(f"{name}: meta", 0.0 if same else float("inf"), 0.0))
    return cases


def verify_custom_operator(device: str) -> list[Case]:
    """All cases on one device."""
    return [
        case
        for dtype in DTYPES
        for shape in SHAPES
        for bias in (False, True)
        for layout in ("contiguous", "transposed")
        for case in verify_case(device, dtype, shape, bias, layout)
    ]


def main() -> int:
    """Prints a table; returns 1 where a case fails."""
    has_npu = hasattr(torch, "npu") and torch.npu.is_available()
    failed = 0
    for device in ["cpu"] + ["npu"] * has_npu:
        cases = verify_custom_operator(device)
        wrong = [case for case in cases if not case.passed]
        for dtype in DTYPES:
            name = str(dtype).removeprefix("torch.")
            own = [case for case in cases if case.what.startswith(name + " ")]
            worst = max(own, key=lambda case: case.error)
            print(f"{device:4} {name:9} worst difference {worst.error:.1e}, allowed {worst.allowed:.0e}")
            print(f"{'':4} {'':9} in {worst.what}")
        print(f"{device:4} {len(cases) - len(wrong)} of {len(cases)} cases right")
        for case in wrong:
            print(f"  WRONG {case.what}: {case.error:.3e}, allowed {case.allowed:.0e}")
        failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
