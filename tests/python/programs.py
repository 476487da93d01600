"""Small programs that no other module has; runs in a process on the software NPU."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn


def _printed(device: str) -> Iterator[torch.Tensor]:
    torch.manual_seed(1)
    for size in ((), (1,), (0,), (7,), (3, 4), (2, 3, 4), (40, 40), (2000,)):
        values = torch.randn(size)
        for tensor in (
            values,
            values * 1e6,
            values.half(),
            values.bfloat16(),
            (values * 100).long(),
            values > 0,
        ):
            yield tensor.to(device)
    for special in ([float("nan"), 1.0, float("inf")], [1e-20, 1.0], [1e30, -1e-30], [1 + 2j, -3.5j]):
        yield torch.tensor(special).to(device)
    yield torch.arange(12.0).reshape(3, 4).to(device).t()[1:]
    yield torch.ones(3).to(device).requires_grad_()


def printed_differently() -> list[str]:
    """The tensors whose text is not that of the same tensor on the CPU, but for the device's name."""
    problems = []
    for on_npu, on_cpu in zip(list(_printed("npu")), list(_printed("cpu")), strict=True):
        text, want = (" ".join(str(tensor).split()) for tensor in (on_npu, on_cpu))
        text = text.replace(", device='npu:0'", "")
        if text != want:
            problems.append(f"{text} instead of {want}")
    return problems


def compared() -> list[bool]:
    """equal, allclose, item, tolist, bool, len, in, and a round trip through torch.save: all true."""
    x = torch.arange(6.0, device="npu").reshape(2, 3)
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)
    return [
        torch.equal(x, x.clone()),
        not torch.equal(x, x + 1),
        not torch.equal(x, x.reshape(3, 2)),
        torch.allclose(x, x + 1e-9),
        not torch.allclose(x, x + 1e-2),
        x[1, 2].item() == 5,
        x.tolist() == [[0, 1, 2], [3, 4, 5]],
        bool(x[0, 1]),
        len(x) == 2,
        5.0 in x,
        loaded.device == x.device and torch.equal(loaded, x),
        bool(x.numpy(force=True).sum() == 15),
    ]


def _network(dropout: float) -> nn.Module:
    return nn.Sequential(
        nn.Linear(8, 16), nn.GELU(), nn.Dropout(dropout), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4)
    )


def clipped_and_scheduled(device: str, dropout: float, steps: int = 12) -> dict[str, list[float]]:
    """AdamW with clipped gradients, warm-up and a cosine schedule: losses, norms before clipping, rates."""
    torch.manual_seed(6)
    model = _network(dropout).to(device)
    x, y = torch.randn(20, 8).to(device), torch.randn(20, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=3),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps - 3),
        ],
        [3],
    )
    found: dict[str, list[float]] = {"losses": [], "norms": [], "rates": []}
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        found["norms"].append(float(nn.utils.clip_grad_norm_(model.parameters(), 0.05)))
        optimizer.step()
        found["rates"].append(schedule.get_last_lr()[0])
        schedule.step()
        found["losses"].append(loss.item())
    return found


def random_numbers(seed: int) -> dict[str, list[Any]]:
    """What each random function gives first for a seed, and a second call behind it."""
    x = torch.linspace(0.1, 0.9, 9, device="npu")
    functions: dict[str, Callable[[], torch.Tensor]] = {
        "rand": lambda: torch.rand(9, device="npu"),
        "randn": lambda: torch.randn(9, device="npu"),
        "half": lambda: torch.randn(9, device="npu", dtype=torch.float16),
        "randint": lambda: torch.randint(0, 1000, (9,), device="npu"),
        "randperm": lambda: torch.randperm(20, device="npu"),
        "bernoulli": lambda: torch.bernoulli(x.repeat(9)),
        "multinomial": lambda: torch.multinomial(x, 8),
        "normal": lambda: torch.normal(x, x),
        "uniform": lambda: torch.empty(9, device="npu").uniform_(-2, 3),
        "exponential": lambda: torch.empty(9, device="npu").exponential_(0.5),
        "dropout": lambda: nn.functional.dropout(x.repeat(9), 0.5),
        "rand_like": lambda: torch.rand_like(x),
    }
    found: dict[str, list[Any]] = {}
    for name, function in functions.items():
        torch.manual_seed(seed)
        found[name] = function().cpu().tolist()
        found[f"{name}, again"] = function().cpu().tolist()
    return found
