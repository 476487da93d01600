"""Prove the tutorial's operators right: values, gradients and meta shapes against torch.nn.functional.linear."""

from __future__ import annotations

import itertools
import sys

import custom_linear
import torch
from torch import Tensor
from train import default_device

# Relative to the largest value of the reference: a few units in the last place of each dtype.
TOLERANCES = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
SHAPES = [(5, 7, 3), (1, 16, 16), (0, 4, 2), (33, 65, 129)]  # rows, in_features, out_features


def largest_difference(actual: Tensor, expected: Tensor) -> float:
    """The largest difference, relative to the largest value expected."""
    if expected.numel() == 0:
        return 0.0
    actual, expected = actual.detach().cpu().double(), expected.detach().cpu().double()
    return ((actual - expected).abs().max() / expected.abs().max().clamp_min(1e-6)).item()


def verify_case(
    device: str, dtype: torch.dtype, shape: tuple[int, int, int], bias: bool, strided: bool
) -> float:
    """One call, forward and backward, on `device` against the reference on the CPU in float32.

    Returns the largest relative difference of output and gradients. Raises AssertionError where shape or dtype
    differ, on the device or on the meta device.
    """
    rows, in_features, out_features = shape
    x = torch.randn(2, rows, in_features).to(dtype)
    weight = torch.randn(out_features, in_features).to(dtype)
    inputs = [x, weight, *([torch.randn(out_features).to(dtype)] if bias else [])]
    ours = [value.to(device) for value in inputs]
    if strided:  # the same values, transposed in memory
        ours = [value.transpose(0, -1).contiguous().transpose(0, -1) for value in ours]
    ours = [value.requires_grad_() for value in ours]
    reference = [value.float().requires_grad_() for value in inputs]

    operator = custom_linear.npu_custom_linear_with_bias if bias else custom_linear.npu_custom_linear
    actual = operator(*ours)
    expected = torch.nn.functional.linear(*reference)
    assert actual.shape == expected.shape, f"shape {tuple(actual.shape)}, expected {tuple(expected.shape)}"
    assert actual.dtype == dtype, f"dtype {actual.dtype}, expected {dtype}"
    on_meta = operator(*[value.detach().to("meta") for value in ours])
    assert (on_meta.shape, on_meta.dtype) == (actual.shape, actual.dtype), (
        "the meta device tells another result"
    )

    gradient = torch.randn(expected.shape)
    actual.backward(gradient.to(dtype).to(device))
    expected.backward(gradient.to(dtype).float())
    pairs = [
        (actual, expected),
        *((mine.grad, theirs.grad) for mine, theirs in zip(ours, reference, strict=True)),
    ]
    return max(largest_difference(mine, theirs) for mine, theirs in pairs)


def verify_custom_operator(device: str | None = None) -> bool:
    """Check every dtype, shape, with and without bias, contiguous and strided; print a line per dtype."""
    device = device or default_device()
    torch.manual_seed(0)
    right = True
    for dtype, tolerance in TOLERANCES.items():
        cases = list(itertools.product(SHAPES, (False, True), (False, True)))
        worst = max(verify_case(device, dtype, *case) for case in cases)
        right &= worst <= tolerance
        print(
            f"{device} {str(dtype).removeprefix('torch.'):9} {len(cases)} cases, forward, backward and meta: "
            f"largest difference {worst:.1e}, allowed {tolerance:.0e}: {'right' if worst <= tolerance else 'WRONG'}"
        )
    return right


if __name__ == "__main__":
    sys.exit(0 if verify_custom_operator() else 1)
