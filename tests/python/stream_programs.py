"""Streams, events, pinned memory and DataLoader; runs in a process on the software NPU."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset[tuple[torch.Tensor, int]]):
    """Item i: a row of i and its square."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.full((512,), float(index)), index * index


class OnDevice(Squares):
    """Makes its items on the device, which a worker that was forked must not."""

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.full((4,), float(index), device="npu"), index * index


def loaded(workers: int, pinned: bool, persistent: bool = False) -> dict[str, Any]:
    """Two epochs through a loader to the device without waiting; the sums and where batches were."""
    loader = DataLoader(
        Squares(),
        batch_size=5,
        num_workers=workers,
        pin_memory=pinned,
        persistent_workers=persistent,
        timeout=60 if workers else 0,
    )
    used = torch.npu.is_initialized()
    rows, squares, kinds = [], [], set()
    for _ in range(2):
        for x, y in loader:
            kinds.add((x.device.type, x.is_pinned()))
            moved = x.to("npu", non_blocking=True)
            target = y.to("npu", non_blocking=True)
            rows.append((moved * 2).sum(1))
            squares.append(target)
    return {
        "rows": torch.cat(rows).cpu().tolist(),
        "squares": torch.cat(squares).cpu().tolist(),
        "kinds": sorted(kinds),
        "used_before": used,
    }


def used_in_a_worker() -> str:
    """The error of a worker that uses the device after its parent did."""
    torch.ones(2, device="npu").add_(1)
    torch.npu.synchronize()
    try:
        for _ in DataLoader(OnDevice(), num_workers=1, timeout=60):
            pass
    except RuntimeError as error:
        return str(error)
    return "no error"


def pinned() -> dict[str, Any]:
    """Copies between pinned memory and the device without waiting, both ways, and changes afterwards."""
    host = torch.arange(100_000.0).pin_memory()
    device = host.to("npu", non_blocking=True)
    back = torch.empty_like(host, pin_memory=True)
    back.copy_(device * 3, non_blocking=True)
    event = torch.npu.Event()
    event.record()
    event.synchronize()
    arrived = torch.equal(back, host * 3)
    host.fill_(0)
    device_kept = float(device.sum())
    return {
        "pinned": [host.is_pinned(), back.is_pinned(), torch.ones(2).is_pinned()],
        "arrived": arrived,
        "kept": device_kept == float(torch.arange(100_000.0).sum()),
        "empty": torch.empty(0, pin_memory=True).to("npu", non_blocking=True).shape[0],
    }


def two_streams() -> dict[str, Any]:
    """Work that goes back and forth between two streams, ordered by wait_stream, events and record_stream."""
    first, second = torch.npu.Stream(), torch.npu.Stream()
    problems = 0
    for round_ in range(20):
        with torch.npu.stream(first):
            x = torch.full((300, 300), 0.01 * round_, device="npu")
            y = x @ x
        second.wait_stream(first)
        with torch.npu.stream(second):
            z = y + 1
            y.record_stream(second)
        del y
        with torch.npu.stream(first):
            torch.full((300, 300), -7.0, device="npu")  # must not land in y's memory before z is made
        done = torch.npu.Event()
        done.record(second)
        torch.npu.current_stream().wait_event(done)
        z.record_stream(torch.npu.current_stream())
        want = torch.full((300, 300), 0.01 * round_) @ torch.full((300, 300), 0.01 * round_) + 1
        problems += not torch.allclose(z.cpu(), want, rtol=1e-4)
    torch.npu.synchronize()
    return {
        "problems": problems,
        "idle": [first.query(), second.query()],
        "distinct": first.npu_stream != second.npu_stream,
        "current": torch.npu.current_stream() == torch.npu.default_stream(),
    }


def timed() -> dict[str, Any]:
    """Times between events: ordered, positive, and an error where there is none."""
    start, middle, end = (torch.npu.Event(enable_timing=True) for _ in range(3))
    x = torch.rand(400, 400, device="npu")
    torch.npu.synchronize()
    start.record()
    for _ in range(3):
        x = torch.tanh(x @ x)
    middle.record()
    for _ in range(3):
        x = torch.tanh(x @ x)
    end.record()
    end.synchronize()
    found: dict[str, Any] = {
        "first": start.elapsed_time(middle),
        "second": middle.elapsed_time(end),
        "whole": start.elapsed_time(end),
        "done": [start.query(), end.query()],
    }
    try:
        start.elapsed_time(torch.npu.Event(enable_timing=True))
        found["unrecorded"] = "no error"
    except (RuntimeError, ValueError) as error:
        found["unrecorded"] = type(error).__name__
    return found
