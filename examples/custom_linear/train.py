"""Train the tutorial's model: on the NPU, or on the CPU where there is none.

The data are clusters around one random centre per class, so that the loss must fall.
"""

from __future__ import annotations

import argparse
import sys

import torch
from model import CustomLinearModel
from torch import Tensor, nn

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
FEATURES, CLASSES = 64, 10


def default_device() -> str:
    """'npu' where torch_npu finds one, else 'cpu'."""
    return "npu" if hasattr(torch, "npu") and torch.npu.is_available() else "cpu"


def make_batches(steps: int, batch: int) -> list[tuple[Tensor, Tensor]]:
    """Inputs [batch, FEATURES] and classes [batch] for each step, from PyTorch's CPU generator."""
    centres = torch.randn(CLASSES, FEATURES)
    batches = []
    for _ in range(steps):
        classes = torch.randint(0, CLASSES, (batch,))
        batches.append((centres[classes] + 0.8 * torch.randn(batch, FEATURES), classes))
    return batches


def train(
    device: str,
    dtype: str = "float32",
    optimizer: str = "adamw",
    steps: int = 30,
    batch: int = 64,
    seed: int = 0,
) -> list[float]:
    """Train from a fixed seed and return the loss of each step.

    float16 and bfloat16 train under autocast; float16 also scales the loss. Without custom kernels for autocast's
    dtypes there would be nothing to cast for: the spec's `autocast: lower` makes the operators run in them.
    """
    torch.manual_seed(seed)
    model = CustomLinearModel(FEATURES, classes=CLASSES).to(device)
    batches = make_batches(steps, batch)
    if optimizer == "sgd":
        update: torch.optim.Optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    else:
        update = torch.optim.AdamW(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    scaler = torch.amp.GradScaler(device, enabled=dtype == "float16")
    losses = []
    for inputs, classes in batches:
        update.zero_grad()
        with torch.autocast(device, dtype=DTYPES[dtype], enabled=dtype != "float32"):
            loss = criterion(model(inputs.to(device)), classes.to(device))
        scaler.scale(loss).backward()
        scaler.step(update)
        scaler.update()
        losses.append(loss.item())
    return losses


def main() -> int:
    """Train as the command line says; print losses; exit code 1 if the loss did not fall."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", choices=DTYPES, default="float32")
    parser.add_argument("--optimizer", choices=["sgd", "adamw"], default="adamw")
    parser.add_argument(
        "--device", choices=["npu", "cpu"], default=None, help="default: the NPU where there is one"
    )
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.steps < 2 or options.batch < 1:
        parser.error("--steps must be 2 or more, --batch 1 or more")
    device = options.device or default_device()
    losses = train(device, options.dtype, options.optimizer, options.steps, options.batch, options.seed)
    for step in range(0, options.steps, max(1, options.steps // 6)):
        print(f"step {step:3}  loss {losses[step]:.4f}")
    print(f"{device}, {options.dtype}, {options.optimizer}: loss {losses[0]:.4f} -> {losses[-1]:.4f}")
    return 0 if losses[-1] < losses[0] else 1


if __name__ == "__main__":
    sys.exit(main())
