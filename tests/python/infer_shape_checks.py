"""Meta, converter and InferShape of generated operators agree: random arguments, sizes known and unknown."""

import ctypes
import random
from collections.abc import Callable
from typing import Any
from unittest import mock

import all_types
import torch
import torch_npu  # noqa: F401
import torchair
from torch import Tensor
from torchair.ge._ge_graph import torch_type_to_ge_type

UNDEFINED = "28"  # the graph engine's number of no data type
Arguments = tuple[list[Any], dict[str, Any]]


def _sizes(chance: random.Random, rank: int | None = None) -> list[int]:
    return [chance.randint(0, 5) for _ in range(chance.randint(0, 4) if rank is None else rank)]


def _meta(sizes: list[int], dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(sizes, dtype=dtype, device="meta")


def _some(chance: random.Random, values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if chance.random() < 0.5}


def _joined(chance: random.Random) -> Arguments:
    sizes = _sizes(chance)
    return [_meta(sizes), _meta(sizes)], _some(chance, {"guard": 0.5, "result": 3})


def _power(chance: random.Random) -> Arguments:
    dtype = chance.choice([torch.float32, torch.float16, torch.bfloat16, torch.float64])
    return [_meta(_sizes(chance), dtype)], _some(chance, {"exponent": chance.randint(1, 3)})


def _scaled_sum(chance: random.Random) -> Arguments:
    sizes, count = _sizes(chance), chance.randint(1, 4)
    bias = chance.choice([None, _meta(sizes)])
    return [[_meta(sizes) for _ in range(count)], bias], {"weights": [0.5] * count}


def _scaled_sum_backward(chance: random.Random) -> Arguments:
    sizes, count = _sizes(chance), chance.randint(0, 4)
    return [_meta(sizes), [_meta(sizes) for _ in range(count)]], {"weights": [0.5] * count}


def _several_outputs(chance: random.Random) -> Arguments:
    index = chance.choice([None, _meta(_sizes(chance), torch.int64)])
    repeats = [chance.randint(0, 4) for _ in range(chance.randint(0, 3))]
    dtypes = [torch.float32, torch.float16]
    x = _meta(_sizes(chance), chance.choice(dtypes))
    return [x, index], _some(chance, {"repeats": repeats, "dtype": chance.choice(dtypes)})


def _counting(chance: random.Random) -> Arguments:
    given = _some(chance, {"dtype": chance.choice([torch.float16, torch.int64])})
    return [], {"length": chance.randint(0, 9), "device": "meta", **given}


def _optional_attributes(chance: random.Random) -> Arguments:
    everything = {
        "flag": True, "number": 4, "real": 0.5, "word": "a b", "scalar": chance.choice([1, 2.5, True]),
        "dtype": torch.int8, "size": 3, "ints": [1, 2], "reals": [0.5], "sizes": [], "flags": [True, False],
        "nested": [[1, 2], [3]],
    }  # fmt: skip
    return [_meta(_sizes(chance))], _some(chance, everything)


def _plain_attributes(chance: random.Random) -> Arguments:
    given = {"word": "xyz", "scalar": chance.choice([1, 2.5, False]), "size": chance.randint(1, 4)}
    return [_meta(_sizes(chance))], {"flag": True, "number": 1, **_some(chance, given)}


def _channels(chance: random.Random) -> Arguments:
    return [_meta(_sizes(chance, 4), chance.choice([torch.float32, torch.float16]))], {}


OPERATORS: dict[str, Callable[[random.Random], Arguments]] = {
    "joined": _joined,
    "power": _power,
    "square": lambda chance: (_power(chance)[0], {}),
    "scaled_sum": _scaled_sum,
    "scaled_sum_backward": _scaled_sum_backward,
    "several_outputs": _several_outputs,
    "counting": _counting,
    "optional_attributes": _optional_attributes,
    "plain_attributes": _plain_attributes,
    "channels": _channels,
}


class Node:
    """What a converter asks torchair for."""

    def __init__(self, name: str, arguments: Arguments, meta: Any) -> None:
        self.call: dict[str, Any] = {}
        with mock.patch.object(torchair.ge, "custom_op", self._note):
            convert = getattr(torch.ops.all_types, name).default._ge_converter.__wrapped__
            convert(*arguments[0], **arguments[1], meta_outputs=meta)

    def _note(self, kind: str, **parts: Any) -> Any:
        self.call = {"type": kind, **parts}
        return mock.MagicMock()

    def question(self, chance: random.Random, known: bool) -> str:
        """For infer_shape_library.cpp; some sizes are unknown, -1, unless all are to be known."""
        lines = [f"type {self.call['type']}"]
        for name, value in self.call["inputs"].items():
            several = isinstance(value, list)
            for place, tensor in enumerate(value if several else [] if value is None else [value]):
                sizes = ",".join(str(size if known or chance.random() < 0.5 else -1) for size in tensor.shape)
                number = int(torch_type_to_ge_type(tensor.dtype))
                lines.append(f"input {name}{place if several else ''} {number} {sizes}")
        for name, value in self.call["attrs"].items():
            lines.append(f"attribute {name} {value.cls} {_text(value.value)}")
        lines += [f"output {item[0]} {item[1]}" for item in self.call["outputs"] if isinstance(item, tuple)]
        return "\n".join(lines)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        nested = any(isinstance(item, (list, tuple)) for item in value)
        return (";" if nested else ",").join(_text(item) for item in value)
    if isinstance(value, (str, bytes)):
        return (value.encode() if isinstance(value, str) else value).hex()
    return str(float(value) if isinstance(value, float) else int(value))


def _compare(answer: str, expected: list[Tensor | None], known: bool) -> str:
    """How they differ: an unknown size fits any where not all sizes of the inputs are known."""
    if answer.startswith("fault"):
        return answer
    lines = answer.splitlines()
    if len(lines) != len(expected):
        return f"{len(lines)} outputs, Meta has {len(expected)}"
    for line, tensor in zip(lines, expected, strict=True):
        number, _, text = line.partition(" ")
        sizes = [int(size) for size in text.split(",") if size]
        if tensor is None:
            if (number, sizes) != (UNDEFINED, [0]):
                return f"an absent output is {sizes} of type {number}"
            continue
        if int(number) != int(torch_type_to_ge_type(tensor.dtype)):
            return f"the dtype is {number}, Meta's {tensor.dtype}"
        rank_open = not known and sizes == [-2]
        fits = len(sizes) == tensor.ndim and all(
            size == right or (size == -1 and not known)
            for size, right in zip(sizes, tensor.shape, strict=True)
        )
        if not (fits or rank_open):
            return f"the sizes are {sizes}, Meta's {list(tensor.shape)}"
    return ""


def _flat(value: Any) -> list[Any]:
    return [item for part in value for item in _flat(part)] if isinstance(value, (list, tuple)) else [value]


def disagreements(library: str, seed: int, count: int) -> dict[str, list[str]]:
    """For each operator whose functions disagree: the arguments and how."""
    infer = ctypes.CDLL(library).infer_shape
    infer.restype = ctypes.c_char_p
    wrong: dict[str, list[str]] = {}
    open_sizes = 0
    for name, draw in OPERATORS.items():
        chance = random.Random(f"{name} {seed}")
        for _ in range(count):
            arguments = draw(chance)
            meta = getattr(all_types, name)(*arguments[0], **arguments[1])
            node = Node(name, arguments, meta)
            for known in (True, False):
                question = node.question(chance, known)
                answer = infer(question.encode()).decode()
                open_sizes += "-1" in answer
                found = _compare(answer, _flat(meta), known)
                if found:
                    wrong.setdefault(name, []).append(f"{question}: {found}")
    if open_sizes < count:
        wrong["test"] = [f"only {open_sizes} answers had open sizes"]
    return wrong
