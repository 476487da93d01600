"""What modules do on the NPU that no single call on the CPU shows; runs in an NPU process."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
import torch_npu
from torch import nn


def random_slopes() -> dict[str, Any]:
    """What nn.RReLU does in training, where each element gets a slope of its own."""
    torch.manual_seed(3)
    start = torch.randn(1000, device="npu")
    state = torch.npu.get_rng_state()
    x = start.clone().requires_grad_()
    y = F.rrelu(x, 0.1, 0.3, training=True)
    gradient = torch.autograd.grad(y.sum(), x)[0].cpu()
    torch.npu.set_rng_state(state)
    again = F.rrelu_(start.clone(), 0.1, 0.3, training=True).cpu()
    x, y = x.detach().cpu(), y.detach().cpu()
    slopes = (y / x)[x < 0]
    return {
        "positive_kept": bool(torch.equal(y[x > 0], x[x > 0])),
        "lowest": float(slopes.min()),
        "highest": float(slopes.max()),
        "mean": float(slopes.mean()),
        "gradient_is_slope": bool(torch.allclose(gradient[x < 0], slopes, rtol=1e-4)),
        "in_place_agrees": bool(torch.equal(again, y)),
    }


def gathered_statistics() -> dict[str, float]:
    """The statistics of two devices' parts against those of the whole on the CPU: the largest differences."""
    torch.manual_seed(0)
    parts = [torch.randn(4, 3, 5) * 2 + 1, torch.randn(2, 3, 5)]
    whole = nn.BatchNorm1d(3, momentum=0.3, eps=1e-3)
    whole(torch.cat(parts))
    every = torch.cat(parts).transpose(0, 1).flatten(1)
    expected = [
        every.mean(1),
        (every.var(1, unbiased=False) + 1e-3).rsqrt(),
        whole.running_mean,
        whole.running_var,
    ]
    counts = torch.tensor([20.0, 10.0], device="npu")
    x = parts[0].npu()

    statistics = [torch.batch_norm_stats(part.npu(), 1e-3) for part in parts]
    running = [torch.zeros(3, device="npu"), torch.ones(3, device="npu")]
    from_statistics = torch.batch_norm_gather_stats_with_counts(
        x, *(torch.stack(values) for values in zip(*statistics, strict=True)), *running, 0.3, 1e-3, counts
    )
    sums = [torch_npu.batch_norm_reduce(part.npu(), 1e-3) for part in parts]
    moving = [torch.zeros(3, device="npu"), torch.ones(3, device="npu")]
    from_sums = torch_npu.batch_norm_gather_stats_update(
        x, *(torch.stack(values) for values in zip(*sums, strict=True)), *moving, 0.3, 1e-3, counts.int()
    )
    return {
        name: max(float((a.cpu() - b).abs().max()) for a, b in zip(got, expected, strict=True))
        for name, got in (("statistics", (*from_statistics, *running)), ("sums", (*from_sums, *moving)))
    }
