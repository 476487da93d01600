"""A model whose linear layers are the tutorial's operator."""

from __future__ import annotations

import math

import custom_linear
import torch
from torch import Tensor, nn


class CustomLinear(nn.Module):
    """As torch.nn.Linear, over npu::npu_custom_linear."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features)) if bias else None
        bound = 1 / math.sqrt(in_features) if in_features > 0 else 0.0
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the operator to the last dimension of `x`."""
        return custom_linear.npu_custom_linear(x, self.weight, self.bias, use_bias=self.bias is not None)


class CustomLinearModel(nn.Module):
    """A classifier with two hidden layers."""

    def __init__(self, in_features: int = 32, hidden: int = 64, classes: int = 10) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            CustomLinear(in_features, hidden),
            nn.ReLU(),
            CustomLinear(hidden, hidden),
            nn.ReLU(),
            CustomLinear(hidden, classes),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The classes' logits."""
        return self.layers(x)
