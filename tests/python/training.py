"""Models that tests train in an NPU process; `losses` gives the losses of each step on one device."""

import torch
from torch import nn

STEPS = 30


class ResNetBlock(nn.Module):
    """Two convolutions with a skip connection, then pooling and a classifier."""

    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()
        )
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.stem(x))
        return self.head(torch.relu(self.body(x) + x))


class Encoder(nn.Module):
    """Embedding, two encoder layers with a causal mask, and a classifier per token."""

    def __init__(self, vocabulary: int = 32, width: int = 32, length: int = 12) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.randn(length, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)
        self.register_buffer("mask", torch.triu(torch.ones(length, length, dtype=torch.bool), 1))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.encoder(self.embedding(tokens) + self.position, mask=self.mask)
        return self.head(hidden).flatten(0, 1)


def _mlp() -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 10))
    return model, torch.randn(32, 64), torch.randint(0, 10, (32,))


def _resnet() -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    return ResNetBlock(), torch.randn(8, 3, 16, 16), torch.randint(0, 10, (8,))


def _transformer() -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    tokens = torch.randint(0, 32, (4, 12))
    return Encoder(), tokens, tokens.roll(-1, 1).flatten()


MODELS = {"mlp": _mlp, "resnet": _resnet, "transformer": _transformer}


def losses(model: str, device: str, precision: str = "float32", optimizer: str = "sgd") -> list[float]:
    """Trains a model from a fixed seed in float32, bfloat16 (autocast) or float16 (with GradScaler)."""
    torch.manual_seed(0)
    network, inputs, targets = MODELS[model]()
    network.to(device)
    inputs, targets = inputs.to(device), targets.to(device)
    steps = (
        torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
        if optimizer == "sgd"
        else torch.optim.AdamW(network.parameters(), lr=1e-3)
    )
    criterion = nn.CrossEntropyLoss()
    scaler = torch.amp.GradScaler(device, init_scale=1024.0, enabled=precision == "float16")
    reduced = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[precision]
    found = []
    for _ in range(STEPS):
        steps.zero_grad()
        with torch.autocast(device, dtype=reduced, enabled=precision != "float32"):
            loss = criterion(network(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(steps)
        scaler.update()
        found.append(loss.item())
    return found
