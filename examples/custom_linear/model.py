"""The tutorial's model: two linear layers made of the custom operator."""

from __future__ import annotations

import math

import custom_linear
import torch
from torch import Tensor, nn


class CustomLinear(nn.Module):
    """y = x @ weight.T (+ bias) by the custom operator.

    Args:
        in_features: size of the input's last dimension
        out_features: size of the output's last dimension
        bias: learn a bias, added by `npu_custom_linear_with_bias`
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features)) if bias else None
        bound = 1 / math.sqrt(in_features)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in_features] to [..., out_features]."""
        if self.bias is None:
            return custom_linear.npu_custom_linear(x, self.weight)
        return custom_linear.npu_custom_linear_with_bias(x, self.weight, self.bias)


class CustomLinearModel(nn.Module):
    """A classifier: [batch, features] to [batch, classes]."""

    def __init__(self, features: int = 64, hidden: int = 128, classes: int = 10) -> None:
        super().__init__()
        self.first = CustomLinear(features, hidden)
        self.second = CustomLinear(hidden, classes, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of each class."""
        return self.second(torch.nn.functional.gelu(self.first(x)))
