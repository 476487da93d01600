"""Changes of arguments: other sizes, and what makes them smaller or simpler while a fault is hunted.

A step is a tuple of plain values:

- `("size", old, new)`: every dimension of that size gets the new one; values are repeated or cut.
- `("grow", old, new, seed)`: the same with new random floating-point numbers.
- `("rank", argument, size_index)`: the tensor without that dimension (its first slice).
- `("none", argument)`: an optional argument left out.
- `("plain", argument)`: values 1, 2, 3 ... instead of what they are.
- `("expand",)`: equal slices, for the layout `expanded`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from opweld.verify.arguments import Arguments, map_tensors, repeat_slices
from opweld.verify.model import Step
from opweld.verify.sources.finite import is_positive, positive_like


def apply(arguments: Arguments, step: Step) -> Arguments:
    """The arguments after one step."""
    kind = step[0]
    if kind == "size":
        return arguments.map(lambda tensor: _resized(tensor, step[1], step[2]))
    if kind == "grow":
        generator = torch.Generator().manual_seed(step[3])
        return arguments.map(lambda tensor: _grown(tensor, step[1], step[2], generator))
    if kind == "expand":
        return arguments.map(repeat_slices)
    if kind == "none":
        return _replaced(arguments, step[1], lambda value: None)
    if kind == "plain":
        return _replaced(arguments, step[1], lambda value: map_tensors(value, plain_values))
    if kind == "rank":
        return _replaced(arguments, step[1], lambda value: map_tensors(value, lambda t: _without(t, step[2])))
    raise ValueError(f"step {kind!r} does not exist")


def smaller(arguments: Arguments, optional: set[str | int]) -> list[Step]:
    """Steps that may make the arguments smaller, the most helpful first.

    `optional`: the arguments (index or keyword) that may be None.
    """
    steps: list[Step] = []
    sizes = sorted({size for tensor in arguments.tensors() for size in tensor.shape}, reverse=True)
    for size in sizes:
        for new in dict.fromkeys((1, 2, size // 2, size - 1)):
            if 0 < new < size:
                steps.append(("size", size, new))
    for place, value in _places(arguments):
        if place in optional and value is not None:
            steps.append(("none", place))
        if isinstance(value, Tensor):
            steps += [("rank", place, dim) for dim in range(value.ndim)]
    return steps


def simpler(arguments: Arguments) -> list[Step]:
    """Steps that keep the shapes and make the values easier to read."""
    return [
        ("plain", place)
        for place, value in _places(arguments)
        if isinstance(value, Tensor) and not torch.equal(value, plain_values(value))
    ]


def plain_values(tensor: Tensor) -> Tensor:
    """1, 2, 3 ... in the shape of a floating-point tensor; others stay, since they may be indices."""
    if not tensor.is_floating_point():
        return tensor
    count = torch.arange(tensor.numel(), dtype=torch.float64) % 16 + 1
    return count.reshape(tensor.shape).to(tensor.dtype)


def _resized(tensor: Tensor, old: int, new: int) -> Tensor:
    for dim, size in enumerate(tensor.shape):
        if size == old:
            index = torch.arange(new) % max(old, 1)
            tensor = tensor.index_select(dim, index) if old else tensor
    return tensor


def _grown(tensor: Tensor, old: int, new: int, generator: torch.Generator) -> Tensor:
    resized = _resized(tensor, old, new)
    if resized.shape == tensor.shape or not tensor.is_floating_point():
        return resized
    if is_positive(tensor):  # chosen so because others have no finite result
        return positive_like(resized, generator)
    return torch.randn(resized.shape, generator=generator, dtype=torch.float64).to(tensor.dtype)


def _without(tensor: Tensor, dim: int) -> Tensor:
    return tensor.select(dim, 0).contiguous() if tensor.ndim > dim and tensor.shape[dim] else tensor


def _places(arguments: Arguments) -> list[tuple[int | str, Any]]:
    return [*enumerate(arguments.positional), *arguments.keywords.items()]


def _replaced(arguments: Arguments, place: int | str, change: Any) -> Arguments:
    if isinstance(place, int):
        values = list(arguments.positional)
        values[place] = change(values[place])
        return replace(arguments, positional=tuple(values))
    return replace(arguments, keywords=arguments.keywords | {place: change(arguments.keywords[place])})
