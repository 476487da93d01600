"""P1: a training step in eager mode on the software NPU, against the same model on PyTorch's CPU device.

Run under `opweld run -- python bench/training_step.py [--json FILE]`.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import torch
from ratio import Ratio, report, side_by_side
from torch import nn
from torch.nn import functional

WIDTH, HEADS = 256, 8


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self) -> None:
        super().__init__()
        self.project_in, self.project_out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, tokens, width] to the same."""
        batch, tokens, _ = x.shape
        parts = self.project_in(x).view(batch, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(*parts, is_causal=True)
        return self.project_out(y.transpose(1, 2).reshape(batch, tokens, WIDTH))


class GptBlock(nn.Module):
    """A pre-norm Transformer block."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.attention = Attention()
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, tokens, width] to the same."""
        x = x + self.attention(self.norms[0](x))
        return x + self.feed_forward(self.norms[1](x))


class BasicBlock(nn.Module):
    """Two 3 x 3 convolutions with a way around them."""

    def __init__(self, channels_in: int, channels: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
            nn.BatchNorm2d(channels),
        )
        same = stride == 1 and channels_in == channels
        self.around = (
            nn.Identity()
            if same
            else nn.Sequential(
                nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)
            )
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, channels_in, h, w] to [batch, channels, h / stride, w / stride]."""
        return functional.relu(self.body(x) + self.around(x))


def mlp() -> nn.Module:
    """784-512-512-10."""
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def resnet18() -> nn.Module:
    """ResNet-18 with ten classes."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
    ]
    channels_in = 64
    for channels, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [BasicBlock(channels_in, channels, stride), BasicBlock(channels, channels, 1)]
        channels_in = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def step(
    make: Callable[[], nn.Module],
    shape: tuple[int, ...],
    device: str,
    dtype: torch.dtype,
    compiler: Callable[[nn.Module], Callable[[torch.Tensor], torch.Tensor]] | None = None,
) -> Callable[[], None]:
    """A function that does one training step, finished when it returns; `compiler` may change the model."""
    torch.manual_seed(0)
    module = make().to(device, dtype)
    model = module if compiler is None else compiler(module)
    inputs = torch.randn(shape).to(device, dtype)
    optimizer = torch.optim.SGD(module.parameters(), lr=1e-3)

    def one() -> None:
        optimizer.zero_grad()
        model(inputs).float().square().mean().backward()
        optimizer.step()
        if device == "npu":
            torch.npu.synchronize()

    return one


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], int]] = {
    "MLP, batch 256": (mlp, (256, 784), 30),
    "GPT block, 4 x 128 tokens": (GptBlock, (4, 128, WIDTH), 15),
    "ResNet-18, 8 x 3 x 64 x 64": (resnet18, (8, 3, 64, 64), 7),
}


def main() -> None:
    """Measures all models in float32 and bfloat16."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(os.cpu_count() or 1)
    ratios: list[Ratio] = []
    for name, (make, shape, rounds) in MODELS.items():
        for dtype in (torch.float32, torch.bfloat16):
            ways = [step(make, shape, device, dtype) for device in ("npu", "cpu")]
            ratios.append(side_by_side(f"{name}, {str(dtype)[6:]}", *ways, rounds))
    report("P1", ratios, "1.0", arguments.json)


if __name__ == "__main__":
    main()
