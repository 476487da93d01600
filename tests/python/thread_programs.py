"""Threads, devices and processes that train at once; runs in a process on the software NPU."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import nn


def _model(seed: int) -> nn.Module:
    generator = torch.Generator().manual_seed(seed)
    model = nn.Sequential(
        nn.Conv1d(2, 4, 3, padding=1), nn.GELU(), nn.Flatten(), nn.LayerNorm(32), nn.Linear(32, 3)
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.3)
    return model


def _batch(seed: int, step: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1000 * seed + step)
    return torch.randn(6, 2, 8, generator=generator), torch.randint(0, 3, (6,), generator=generator)


def _trained(seed: int, device: str, steps: int) -> list[float]:
    model = _model(seed).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for step in range(steps):
        x, y = (t.to(device) for t in _batch(seed, step))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def _differences(found: list[list[float]], steps: int) -> list[str]:
    wanted = [_trained(seed, "cpu", steps) for seed in range(len(found))]
    return [
        f"thread {seed}: {got} instead of {want}"
        for seed, (got, want) in enumerate(zip(found, wanted, strict=True))
        if not torch.allclose(torch.tensor(got), torch.tensor(want), rtol=0, atol=1e-4)
    ]


def threads(count: int, devices: int, own_streams: bool, steps: int = 6) -> list[str]:
    """A model per thread, all at once; what differs from training on the CPU."""
    together = threading.Barrier(count, timeout=120)

    def work(seed: int) -> list[float]:
        device = f"npu:{seed % devices}"
        torch.npu.set_device(device)
        together.wait()
        if not own_streams:
            return _trained(seed, device, steps)
        with torch.npu.stream(torch.npu.Stream(device)):
            return _trained(seed, device, steps)

    with ThreadPoolExecutor(count) as pool:
        return _differences(list(pool.map(work, range(count))), steps)


def an_error_in_one_thread() -> dict[str, Any]:
    """Eight threads on streams of their own, one of whose kernels fails."""

    def work(seed: int) -> str:
        with torch.npu.stream(torch.npu.Stream()):
            weights = torch.ones(4, 2, device="npu")
            index = torch.tensor([9 if seed == 3 else 1]).npu()
            try:
                for _ in range(5):
                    value = torch.nn.functional.embedding(index, weights).sum().item()
            except RuntimeError:
                return "error"
            return str(value)

    with ThreadPoolExecutor(8) as pool:
        return {"found": list(pool.map(work, range(8))), "after": torch.ones(3, device="npu").sum().item()}


def split_batches(steps: int = 8) -> list[str]:
    """A replica on each of two devices with half a batch each; against whole batches on the CPU."""
    replicas = [_model(5).to(f"npu:{i}") for i in range(2)]
    optimizer = torch.optim.SGD(replicas[0].parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(steps):
        x, y = _batch(5, step)
        parts = []
        for i, replica in enumerate(replicas):
            replica.zero_grad()
            half = slice(3 * i, 3 * i + 3)
            loss = nn.functional.cross_entropy(replica(x[half].to(f"npu:{i}")), y[half].to(f"npu:{i}")) / 2
            loss.backward()
            parts.append(loss)
        with torch.no_grad():
            for mine, other in zip(*(r.parameters() for r in replicas), strict=True):
                assert mine.grad is not None
                assert other.grad is not None
                mine.grad += other.grad.to("npu:0")
            optimizer.step()
            for mine, other in zip(*(r.parameters() for r in replicas), strict=True):
                other.copy_(mine)
        losses.append((parts[0] + parts[1].to("npu:0")).item())

    model = _model(5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    problems = []
    for step, got in enumerate(losses):
        x, y = _batch(5, step)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if abs(loss.item() - got) > 1e-4:
            problems.append(f"step {step}: {got} instead of {loss.item()}")
    return problems


def across_devices() -> dict[str, Any]:
    """A model whose halves are on two devices, copies between them, and the current device."""
    first, second = nn.Linear(4, 5).to("npu:0"), nn.Linear(5, 2).to("npu:1")
    x = torch.randn(3, 4)
    loss = second(first(x.to("npu:0")).relu().to("npu:1")).square().sum()
    loss.backward()
    got = [p.grad for m in (first, second) for p in m.parameters()]
    places = [str(g.device) for g in got if g is not None]
    plain = nn.Sequential(first, nn.ReLU(), second).cpu()
    plain.zero_grad()
    plain(x).square().sum().backward()
    big = torch.arange(300_000.0, device="npu:0")
    there = big.to("npu:1", non_blocking=True)
    with torch.npu.device(1):
        inside = [
            torch.npu.current_device(),
            str((there * 2).device),
            str(torch.ones(1, device="npu").device),
        ]
    return {
        "places": places,
        "equal": all(
            torch.allclose(p.grad, g.cpu(), atol=1e-5)
            for p, g in zip(plain.parameters(), got, strict=True)
            if p.grad is not None and g is not None
        ),
        "copied": torch.equal(there.to("npu:0").cpu(), big.cpu()),
        "inside": inside,
        "outside": torch.npu.current_device(),
    }


def interrupted(folder: str, steps: int, slow: float = 0.0) -> list[float]:
    """Trains from the checkpoint in a folder, if any, and saves one at each step; all losses so far."""
    path = Path(folder) / "last.pt"
    path.parent.mkdir(exist_ok=True)
    model = _model(7).npu()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses: list[float] = []
    if path.exists():
        state = torch.load(path, map_location="npu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        losses = state["losses"]
        torch.npu.set_rng_state(state["random"].cpu())
    else:
        torch.npu.manual_seed(3)
    for step in range(len(losses), steps):
        x, y = (t.npu() for t in _batch(7, step))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(nn.functional.dropout(model(x), 0.2), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "losses": losses,
            "random": torch.npu.get_rng_state(),
        }
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").rename(path)
        time.sleep(slow)
    return losses


def _in_child(use: Callable[[], Any]) -> str:
    """What a forked child gets from a use of the device, or its error."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            text = str(use())
        except BaseException as error:  # whatever it is, the parent shows it
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return text


def forked_before_use() -> str:
    """What a child computes that was forked before its parent used the device."""
    assert not torch.npu.is_initialized()
    return _in_child(lambda: (torch.ones(3, device="npu") * 5).sum().item())


def forked_after_use() -> dict[str, Any]:
    """What a child of a process that used the device gets by kind of use; and the parent afterwards."""
    x = torch.ones(3, device="npu").add_(1)
    torch.npu.synchronize()
    uses = {
        "operator": lambda: (x + 1).sum().item(),
        "allocation": lambda: torch.empty(64 << 20, device="npu"),
        "stream": lambda: torch.npu.Stream().synchronize(),
        "copy": lambda: torch.ones(3).to("npu"),
        "training": lambda: _trained(1, "npu", 1),
    }
    found: dict[str, Any] = {name: _in_child(use) for name, use in uses.items()}
    found["parent"] = (x + 1).sum().item()
    return found
