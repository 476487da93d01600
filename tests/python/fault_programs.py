"""Training on a device that breaks on purpose; runs in a process on the software NPU."""

from __future__ import annotations

import threading
import time
from typing import Any

import torch
from torch import nn

import opweld

STEPS = 6


class _Training:
    """A model that can be trained step by step, on either device, with the same numbers."""

    def __init__(self, device: str) -> None:
        torch.manual_seed(2)
        self.device = device
        self.model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def step(self, number: int) -> float:
        generator = torch.Generator().manual_seed(number)
        x, y = (torch.randn(5, size, generator=generator).to(self.device) for size in (6, 1))
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return float(loss.item())

    def state(self) -> list[torch.Tensor]:
        return [parameter.detach().cpu() for parameter in self.model.parameters()]


def _expected() -> list[torch.Tensor]:
    training = _Training("cpu")
    for step in range(STEPS):
        training.step(step)
    return training.state()


def training(faults: str) -> dict[str, Any]:
    """A loop under faults that starts again from its first step where one fails: its errors and its end."""
    errors: list[list[str]] = []
    done = False
    while not done and len(errors) < 4:
        state = _Training("npu")
        try:
            with opweld.inject_faults("" if errors else faults):
                for step in range(STEPS):
                    state.step(step)
            done = True
        except RuntimeError as error:
            errors.append([type(error).__name__, str(error)])
    got = state.state()
    close = all(torch.allclose(a, b, atol=1e-5) for a, b in zip(got, _expected(), strict=True))
    return {"errors": errors, "done": done, "right": close}


def out_of_memory() -> dict[str, Any]:
    """Large allocations, which the allocator's cache does not hold, under faults."""
    found: dict[str, Any] = {}
    for faults in ("oom@1", "oom@1+"):  # the allocator tries a second time after emptying its cache
        torch.npu.synchronize()
        torch.npu.empty_cache()
        try:
            with opweld.inject_faults(faults):
                torch.empty(40 << 20, dtype=torch.uint8, device="npu")
            found[faults] = "no error"
        except torch.OutOfMemoryError as error:
            found[faults] = str(error)
    found["after"] = int(torch.ones(40 << 20, dtype=torch.uint8, device="npu")[-1])
    return found


def from_the_environment() -> list[str]:
    """What allocations give in a process with OPWELD_FAULTS=oom@2+, and when the faults are taken away."""
    found = [str(torch.ones(3, device="npu").sum().item())]
    for _ in range(2):
        try:
            found.append(str(int(torch.ones(40 << 20, dtype=torch.uint8, device="npu")[-1])))
        except torch.OutOfMemoryError as error:
            found.append(str(error))
        with opweld.inject_faults(""):
            pass
    return found


def hanging() -> dict[str, Any]:
    """A task that never ends, until another thread stops the device; and the device restarted."""
    import torch_npu

    x = torch.ones(4, device="npu")
    torch.npu.synchronize()
    found: dict[str, Any] = {}

    def stop() -> None:
        time.sleep(0.5)
        found["stopped"] = torch_npu.npu.stop_device(0)

    thread = threading.Thread(target=stop)
    thread.start()
    begin = time.monotonic()
    try:
        with opweld.inject_faults("hang@1"):
            (x + 1).cpu()
        found["error"] = "no error"
    except RuntimeError as error:
        found["error"] = str(error)
    found["waited"] = time.monotonic() - begin
    thread.join(30)
    torch_npu.npu.restart_device(0)
    found["after"] = (x + 1).cpu().tolist()
    return found


def misspelt() -> str:
    """The error of a specification that is none."""
    try:
        with opweld.inject_faults("broken@1"):
            return "no error"
    except opweld.UsageError as error:
        return str(error)
