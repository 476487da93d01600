"""The arguments of a call: made on a device in a memory layout, and written as Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

LAYOUTS = ("contiguous", "transposed", "sliced", "expanded")


@dataclass(frozen=True)
class Arguments:
    """Positional and keyword arguments with contiguous tensors on the CPU, and the layout to make them in."""

    positional: tuple[Any, ...]
    keywords: dict[str, Any]
    layout: str = "contiguous"

    def map(self, function: Callable[[Tensor], Any]) -> Arguments:
        """With `function` applied to each tensor."""
        return replace(
            self,
            positional=tuple(map_tensors(value, function) for value in self.positional),
            keywords={name: map_tensors(value, function) for name, value in self.keywords.items()},
        )

    def tensors(self) -> list[Tensor]:
        """All tensors, in order."""
        return tensors_in([list(self.positional), list(self.keywords.values())])

    def make(
        self, device: str, *, requires_grad: bool = False, dtype: torch.dtype | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """New tensors on `device` in the layout; floating-point ones of `dtype` where that is given."""

        def one(tensor: Tensor) -> Tensor:
            wanted = dtype if dtype is not None and tensor.is_floating_point() else tensor.dtype
            made = in_layout(tensor.detach().to(wanted), self.layout, device).detach()
            differentiable = made.is_floating_point() or made.is_complex()
            return made.requires_grad_() if requires_grad and differentiable else made

        made = self.map(one)
        return (
            tuple(_on(value, device) for value in made.positional),
            {name: _on(value, device) for name, value in made.keywords.items()},
        )


def _on(value: Any, device: str) -> Any:
    return torch.device(device) if isinstance(value, torch.device) else value


def in_layout(tensor: Tensor, layout: str, device: str) -> Tensor:
    """The values of a contiguous tensor on `device` in the layout, as near to it as the shape allows.

    `expanded` repeats the first slice of one dimension, so a tensor must have been prepared with `flatten`.
    """
    if layout == "transposed" and tensor.ndim >= 2:
        return tensor.mT.contiguous().to(device).mT
    if layout == "sliced":
        if tensor.ndim == 0:
            return torch.stack([torch.zeros_like(tensor), tensor]).to(device)[1]
        wide = torch.stack([torch.zeros_like(tensor), tensor], dim=-1)
        return wide.flatten(-2).to(device)[..., 1::2]
    if layout == "expanded" and (dim := expandable(tensor)) is not None:
        return tensor.narrow(dim, 0, 1).contiguous().to(device).expand(tensor.shape)
    return tensor.contiguous().clone().to(device)


def expandable(tensor: Tensor) -> int | None:
    """The dimension that the layout `expanded` repeats."""
    return next((dim for dim, size in enumerate(tensor.shape) if size > 1), None)


def repeat_slices(tensor: Tensor) -> Tensor:
    """The tensor with equal slices along the dimension that `expanded` repeats."""
    dim = expandable(tensor)
    return tensor if dim is None else tensor.narrow(dim, 0, 1).expand(tensor.shape).contiguous()


def map_tensors(value: Any, function: Callable[[Tensor], Any]) -> Any:
    """Applies `function` to the tensors in a value."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, list | tuple):
        return type(value)(map_tensors(item, function) for item in value)
    return value


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in a value, in order."""
    return list(_walk(value))


def _walk(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _walk(item)
    elif isinstance(value, dict):
        yield from _walk(list(value.values()))


def results_in(value: Any) -> list[Any]:
    """All results of a call, in order, undefined ones as None."""
    if isinstance(value, list | tuple):
        return [item for part in value for item in results_in(part)]
    return [value]


def short_dtype(dtype: torch.dtype) -> str:
    """`float32` of `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def describe(value: Any) -> str:
    """One argument in a few characters: `float32[2, 3]`."""
    if isinstance(value, Tensor):
        return f"{short_dtype(value.dtype)}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(describe(item) for item in value) + "]"
    return repr(value)
