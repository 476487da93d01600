"""A failing sample as a few lines of Python to paste."""

from __future__ import annotations

import keyword
from typing import Any

import torch
from torch import Tensor

from opweld.verify.arguments import Arguments, expandable, short_dtype
from opweld.verify.checks.base import Check
from opweld.verify.operators import Operator

LITERAL = 64  # elements; larger tensors are written as random ones


def lines(
    operator: Operator, arguments: Arguments, device: str, check: Check, modules: list[str]
) -> list[str]:
    """Imports, one line per tensor, and the call that fails."""
    made = ["import opweld, torch", *(f"import {module}" for module in modules)]
    if device == "npu" and not modules:
        made.append("import torch_npu")
    names: dict[int, str] = {}
    positional = [
        _argument(value, name, device, arguments.layout, made, names)
        for value, name in zip(arguments.positional, _names(operator), strict=False)
    ]
    keywords = [
        f"{name}={_argument(value, name, device, arguments.layout, made, names)}"
        for name, value in arguments.keywords.items()
    ]
    floating = [tensor.is_floating_point() or tensor.is_complex() for tensor in arguments.tensors()]
    leaves = [name for name, is_leaf in zip(names.values(), floating, strict=True) if is_leaf]
    made.append(_call(operator, check, positional, keywords, list(names.values()), leaves, device))
    return made


def _names(operator: Operator) -> list[str]:
    found = []
    for argument in operator.schema.arguments:
        bad = keyword.iskeyword(argument.name) or argument.name in ("torch", "opweld")
        found.append(f"{argument.name}_" if bad else str(argument.name))
    return found


def _call(
    operator: Operator,
    check: Check,
    positional: list[str],
    keywords: list[str],
    names: list[str],
    leaves: list[str],
    device: str,
) -> str:
    function = f"torch.ops.{operator.overload!s}"
    parts = [*positional, *keywords]
    batched = ", ".join(f"torch.stack([{name}, 2 * {name}])" for name in names)
    tensors = ", ".join(names)
    meta = ", ".join(_with(part, names, '{}.to("meta")') for part in parts)
    fake = ", ".join(_with(part, names, "mode.from_tensor({})") for part in parts)
    arguments = f"({', '.join(positional)}{',' if positional else ''}), {{{', '.join(_pairs(keywords))}}}"
    call = f"{function}({', '.join(parts)})"
    if check.name == "gradients":
        call = f"{function}({', '.join(_with(part, leaves, '{}.requires_grad_()') for part in parts)})"
    return check.call.format(
        call=call,
        op=function,
        args=arguments,
        batched=batched,
        tensors=tensors,
        device=device,
        meta_call=f"{function}({meta})",
        fake_call=f"{function}({fake})",
        function=f"lambda {tensors}: {function}({', '.join(parts)})",
    )


def _pairs(keywords: list[str]) -> list[str]:
    return [f"{part.partition('=')[0]!r}: {part.partition('=')[2]}" for part in keywords]


def _with(part: str, names: list[str], template: str) -> str:
    name, equals, value = part.rpartition("=")
    return f"{name}{equals}{template.format(value)}" if value in names else part


def _argument(value: Any, name: str, device: str, layout: str, made: list[str], names: dict[int, str]) -> str:
    if isinstance(value, Tensor):
        names[len(names)] = name
        made.append(f"{name} = {_tensor(value, device, layout)}")
        return name
    if isinstance(value, list | tuple):
        items = [
            _argument(item, f"{name}_{index}", device, layout, made, names)
            for index, item in enumerate(value)
        ]
        return "[" + ", ".join(items) + "]"
    if isinstance(value, torch.device):
        return repr(device)
    if isinstance(value, float) and value != value:
        return "float('nan')"
    return repr(value)


def _tensor(tensor: Tensor, device: str, layout: str) -> str:
    dtype = f"torch.{short_dtype(tensor.dtype)}"
    if tensor.numel() <= LITERAL and tensor.numel() > 0:
        values = _rounded(tensor)
        text = f'torch.tensor({values}, dtype={dtype}, device="{device}")'
    elif tensor.is_floating_point():
        text = f'torch.randn({list(tensor.shape)}).to("{device}", {dtype})'
    else:
        text = f'torch.zeros({list(tensor.shape)}, dtype={dtype}, device="{device}")'
    if layout == "transposed" and tensor.ndim >= 2:
        return f"{text}.mT.contiguous().mT"
    if layout == "sliced":
        return f"torch.stack([{text}] * 2, -1){'.flatten(-2)[..., 1::2]' if tensor.ndim else '[1]'}"
    if layout == "expanded" and (dim := expandable(tensor)) is not None:
        return f"{text}.narrow({dim}, 0, 1).expand({list(tensor.shape)})"
    return text


def _rounded(tensor: Tensor) -> str:
    if not tensor.is_floating_point():
        return repr(tensor.tolist())

    def number(value: Any) -> str:
        if isinstance(value, list):
            return "[" + ", ".join(number(item) for item in value) + "]"
        if value != value or value in (float("inf"), float("-inf")):
            return f'float("{value}")'
        return f"{value:.9g}" if "." in f"{value:.9g}" or "e" in f"{value:.9g}" else f"{value:.9g}.0"

    return number(tensor.double().tolist())
