"""Arguments made from an operator's schema alone, for trying it out on the meta device."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch

SHAPES: tuple[tuple[int, ...], ...] = ((4, 4), (4,), (1, 4, 4, 4), (1, 4, 4))
MAX_ATTEMPTS = 200

# By the type's name in a schema as torch parses it; data types, layouts and memory formats are ints there.
_PLAIN: dict[str, Any] = {
    "bool": False,
    "int": 1,
    "float": 1.0,
    "number": 1,
    "str": "none",
    "List[int]": [1],
    "List[float]": [1.0],
    "List[bool]": [True],
    "List[number]": [1],
    "Device": torch.device("meta"),
}

Sample = tuple[tuple[Any, ...], dict[str, Any]]
Maker = Callable[[], Any]


class UnsupportedArgument(Exception):
    """An argument's type for which no value can be made up."""


def meta_samples(schema: Any) -> Iterator[Sample]:
    """Candidate arguments on the meta device, the likeliest first, at most MAX_ATTEMPTS of them.

    Raises UnsupportedArgument where a required argument's type is not known.
    """
    choices = [_choices(argument) for argument in schema.arguments]
    for values in itertools.islice(_by_variety(choices), MAX_ATTEMPTS):
        positional = []
        keywords = {}
        for argument, value in zip(schema.arguments, values, strict=True):
            if argument.kwarg_only:
                keywords[argument.name] = value()
            else:
                positional.append(value())
        yield tuple(positional), keywords


def with_optional_tensors(schema: Any, sample: Sample) -> Iterator[Sample]:
    """Candidates like `sample`, on the meta device, in which no optional tensor is left out.

    Flags with a default take both values, since one of them often says whether an optional tensor counts.
    Nothing where the schema has no optional tensor that `sample` leaves out. At most MAX_ATTEMPTS.
    """
    arguments, keywords = sample
    given = dict(zip((item.name for item in schema.arguments), arguments, strict=False)) | keywords
    choices: list[list[Maker]] = []
    lacking = False
    for item in schema.arguments:
        value = given.get(item.name)
        if value is None and str(item.type) == "Optional[Tensor]":
            lacking = True
            choices.append([_tensor_maker(shape) for shape in SHAPES])
        elif isinstance(value, bool) and item.has_default_value():
            choices.append([_constant(value), _constant(not value)])
        else:
            choices.append([_constant(value)])
    if not lacking:
        return
    for values in itertools.islice(_by_variety(choices), MAX_ATTEMPTS):
        made = {item.name: value() for item, value in zip(schema.arguments, values, strict=True)}
        positional = tuple(made[item.name] for item in schema.arguments if not item.kwarg_only)
        yield positional, {item.name: made[item.name] for item in schema.arguments if item.kwarg_only}


def _constant(value: Any) -> Maker:
    return lambda: value


def _by_variety(choices: list[list[Maker]]) -> Iterator[tuple[Maker, ...]]:
    """All combinations, those near the first choice of every argument first."""
    every = itertools.product(*(range(len(choice)) for choice in choices))
    for indices in sorted(itertools.islice(every, 20000), key=sum):
        yield tuple(choice[index] for choice, index in zip(choices, indices, strict=True))


def _choices(argument: Any) -> list[Maker]:
    if argument.has_default_value():
        default = argument.default_value
        return [lambda: default]
    kind = str(argument.type)
    optional = kind.startswith("Optional[")
    bare = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
    if bare == "Tensor":
        made: list[Maker] = [_tensor_maker(shape) for shape in SHAPES]
    elif bare in ("List[Tensor]", "List[Optional[Tensor]]"):
        made = [_list_maker(shape) for shape in SHAPES]
    elif bare in _PLAIN:
        value = _PLAIN[bare]
        made = [lambda: value]
    elif optional:
        made = []
    else:
        raise UnsupportedArgument(f"no value can be made up for argument {argument.name!r} of type {kind}")
    return [lambda: None, *made] if optional else made


def _tensor_maker(shape: tuple[int, ...]) -> Maker:
    return lambda: torch.empty(shape, device="meta")


def _list_maker(shape: tuple[int, ...]) -> Maker:
    return lambda: [torch.empty(shape, device="meta"), torch.empty(shape, device="meta")]


def to_device(value: Any, device: str, *, requires_grad: bool = False) -> Any:
    """A copy of an argument with its meta tensors made real on `device` (random where floating-point)."""
    if isinstance(value, torch.Tensor):
        if value.device.type != "meta":
            made = value.detach().to(device)
        elif value.is_floating_point() or value.is_complex():
            made = torch.randn(value.shape, dtype=value.dtype).to(device)
        else:
            made = torch.zeros(value.shape, dtype=value.dtype).to(device)
        return made.requires_grad_() if requires_grad and made.is_floating_point() else made
    if isinstance(value, list | tuple):
        return type(value)(to_device(item, device, requires_grad=requires_grad) for item in value)
    if isinstance(value, torch.device):
        return torch.device(device)
    return value


def to_meta(value: Any) -> Any:
    """A copy of an argument with its tensors on the meta device."""
    if isinstance(value, torch.Tensor):
        return value.detach().to("meta")
    if isinstance(value, list | tuple):
        return type(value)(to_meta(item) for item in value)
    return torch.device("meta") if isinstance(value, torch.device) else value


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in an argument or a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []
