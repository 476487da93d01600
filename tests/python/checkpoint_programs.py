"""Checkpoints that move between devices; runs in a process on the software NPU with two devices."""

from pathlib import Path
from typing import Any

import torch
from torch import nn

STEPS = 3


def _state(device: str) -> tuple[nn.Module, torch.optim.Optimizer, torch.amp.GradScaler]:
    torch.manual_seed(11)
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler(device.partition(":")[0], init_scale=256.0, growth_interval=2)
    return model, optimizer, scaler


def _train(device: str, state: tuple[Any, Any, Any], first: int, last: int) -> list[float]:
    model, optimizer, scaler = state
    losses = []
    for step in range(first, last):
        data = torch.Generator().manual_seed(step)
        x, y = torch.randn(10, 6, generator=data).to(device), torch.randn(10, 2, generator=data).to(device)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


def saved(folder: str, device: str) -> list[float]:
    """Trains some steps on a device, saves, goes on; the losses after saving."""
    state = _state(device)
    _train(device, state, 0, STEPS)
    names = ("model", "optimizer", "scaler")
    torch.save(
        {name: part.state_dict() for name, part in zip(names, state, strict=True)}, f"{folder}/state.pt"
    )
    return _train(device, state, STEPS, 2 * STEPS)


def resumed(folder: str, device: str, mapped: str) -> dict[str, Any]:
    """The same steps after loading on another device; `mapped` names the kind of map_location."""
    locations: dict[str, Any] = {
        "none": None,
        "text": device,
        "device": torch.device(device),
        "dict": {"npu:0": device, "npu:1": device, "cpu": device},
        "function": lambda storage, _: storage,  # stays on the CPU
    }
    loaded = torch.load(f"{folder}/state.pt", map_location=locations[mapped], weights_only=True)
    devices = {str(value.device) for value in loaded["model"].values()}
    state = _state(device)
    for name, part in zip(("model", "optimizer", "scaler"), state, strict=True):
        part.load_state_dict(loaded[name])
    momenta = state[1].state[next(iter(state[0].parameters()))]["exp_avg"]
    return {
        "loaded": sorted(devices),
        "momenta": str(momenta.device),
        "scale": state[2].get_scale(),
        "losses": _train(device, state, STEPS, 2 * STEPS),
    }


def tensors(folder: str) -> list[str]:
    """Tensors of every kind, saved on npu:1 and loaded as they were: what differs."""
    base = torch.arange(12.0, device="npu:1")
    kept = {
        "dense": base.reshape(3, 4),
        "view": base[2:8:2],
        "transposed": base.reshape(3, 4).t(),
        "half": base.half(),
        "bfloat16": base.bfloat16(),
        "integers": base.long(),
        "booleans": base > 5,
        "complex": torch.complex(base, -base),
        "empty": base[:0],
        "scalar": base[3].clone(),
        "parameter": nn.Parameter(base.clone()),
    }
    path = Path(folder) / "tensors.pt"
    torch.save(kept, path)
    problems = []
    for name, value in torch.load(path, weights_only=True).items():
        before = kept[name]
        same = value.device == before.device and value.dtype == before.dtype and value.shape == before.shape
        if not same or value.stride() != before.stride() or not torch.equal(value.cpu(), before.cpu()):
            problems.append(f"{name}: {value} on {value.device}, strides {value.stride()}")
    shared = torch.load(path, weights_only=True)
    if shared["dense"].data_ptr() + 8 != shared["view"].data_ptr():
        problems.append("views of one storage are apart")
    return problems
