"""Trains CustomLinearModel on made-up classes: on the NPU, or on the CPU where there is none."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import torch
from custom_linear_model import CustomLinearModel
from torch import Tensor, nn

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def make_data(count: int, features: int, classes: int) -> tuple[Tensor, Tensor]:
    """Points around one centre per class; the same ones every time."""
    generator = torch.Generator().manual_seed(1)
    centres = torch.randn(classes, features, generator=generator)
    labels = torch.randint(0, classes, (count,), generator=generator)
    return centres[labels] + 0.8 * torch.randn(count, features, generator=generator), labels


def batches(inputs: Tensor, labels: Tensor, size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """The data in batches, in order."""
    yield from zip(inputs.split(size), labels.split(size), strict=True)


def train(device: str, dtype: torch.dtype, optimizer_name: str, steps: int, batch: int) -> list[float]:
    """Trains for `steps` batches and returns their losses. 16 bits mean autocast; float16 is scaled."""
    torch.manual_seed(0)
    model = CustomLinearModel().to(device)
    inputs, labels = (tensor.to(device) for tensor in make_data(2048, 32, 10))
    loss_function = nn.CrossEntropyLoss()
    if optimizer_name == "sgd":
        optimizer: torch.optim.Optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scaler = torch.amp.GradScaler(device, enabled=dtype == torch.float16)
    losses: list[float] = []
    while len(losses) < steps:
        for x, target in batches(inputs, labels, batch):
            optimizer.zero_grad()
            with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
                loss = loss_function(model(x), target)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
            if len(losses) == steps:
                break
    return losses


def main() -> int:
    """Returns 0 where the model has learnt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", choices=DTYPES, default="float32")
    parser.add_argument("--optimizer", choices=["sgd", "adamw"], default="sgd")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", help="npu or cpu; default: the NPU where there is one")
    arguments = parser.parse_args()
    has_npu = hasattr(torch, "npu") and torch.npu.is_available()
    device = arguments.device or ("npu" if has_npu else "cpu")
    name = torch.npu.get_device_name(0) if device == "npu" else "CPU"
    print(f"training on {name} in {arguments.dtype} with {arguments.optimizer}")
    losses = train(device, DTYPES[arguments.dtype], arguments.optimizer, arguments.steps, arguments.batch)
    for step in range(0, len(losses), max(1, len(losses) // 10)):
        print(f"step {step:4}  loss {losses[step]:.4f}")
    first, last = losses[0], sum(losses[-5:]) / len(losses[-5:])
    print(f"loss from {first:.4f} to {last:.4f}")
    return 0 if last < first / 2 else 1


if __name__ == "__main__":
    raise SystemExit(main())
