"""A failing sample as a few lines of Python to paste."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from opweld.verify.arguments import Arguments, expandable, short_dtype
from opweld.verify.checks.base import Check
from opweld.verify.operators import Operator

LITERAL = 64  # elements; larger tensors are written as random ones


def lines(
    operator: Operator,
    arguments: Arguments,
    device: str,
    check: Check,
    modules: list[str],
    path: Sequence[str] = (),
    kind: str = "",
) -> list[str]:
    """Imports, one line per tensor, the call that fails, and what the spec's reference gives.

    `path`: folders from which the modules come; `kind`: that of the fault.
    """
    made = [f"import sys; sys.path.insert(0, {folder!r})" for folder in path]
    if kind == "unwritten" and device == "npu":
        made.append('import os; os.environ["OPWELD_POISON"] = "1"')
    made += ["import opweld, torch", *(f"import {module}" for module in modules)]
    if device == "npu" and not modules:
        made.append("import torch_npu")
    names: dict[int, str] = {}
    leaf = ".requires_grad_()" if check.name == "gradients" else ""
    positional = [
        _argument(value, name, device, arguments.layout, leaf, made, names)
        for value, name in zip(arguments.positional, _names(operator), strict=False)
    ]
    keywords = [
        f"{name}={_argument(value, name, device, arguments.layout, leaf, made, names)}"
        for name, value in arguments.keywords.items()
    ]
    floating = [tensor.is_floating_point() or tensor.is_complex() for tensor in arguments.tensors()]
    leaves = [name for name, is_leaf in zip(names.values(), floating, strict=True) if is_leaf]
    tensors = list(names.values())
    if kind not in ("reference", "form"):
        made.append(_call(operator, check, positional, keywords, tensors, leaves, device))
    elif kind == "form":
        meta = ", ".join(_with(part, tensors, '{}.to("meta")') for part in [*positional, *keywords])
        made.append(f"print(torch.ops.{operator.overload!s}({meta}))")
    if check.name in ("result", "gradients") or kind in ("reference", "form"):
        made += _reference(operator, check, [*positional, *keywords], tensors, leaves)
    return made


def _reference(
    operator: Operator, check: Check, parts: list[str], tensors: list[str], leaves: list[str]
) -> list[str]:
    """What the spec's reference gives on the CPU."""
    text = operator.rules.reference_text if operator.rules is not None else ""
    if not text:
        return []
    on_cpu = ", ".join(_with(part, tensors, "{}.cpu()") for part in parts)
    call = f"reference({on_cpu})"
    shown = _gradients(call, leaves, one=len(operator.schema.returns) == 1)
    return [f"reference = {text}", f"print({shown if check.name == 'gradients' else call})"]


def _gradients(call: str, leaves: list[str], *, one: bool) -> str:
    """Gradients that go backward with different numbers for different elements."""
    share = "torch.linspace(1, 2, {0}.numel()).to({0}).view_as({0})"
    wanted = f"[{', '.join(leaves)}]"
    if one:
        return f"torch.autograd.grad(y_ := {call}, {wanted}, {share.format('y_')}, allow_unused=True)"
    results = f"[r_ for r_ in {call} if r_ is not None and r_.requires_grad]"
    shares = f"[{share.format('r_')} for r_ in y_]"
    return f"torch.autograd.grad(y_ := {results}, {wanted}, {shares}, allow_unused=True)"


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
    gradients = _gradients(call, leaves, one=len(operator.schema.returns) == 1)
    return check.call.format(
        call=call,
        op=function,
        args=arguments,
        gradients=gradients,
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


def _argument(
    value: Any, name: str, device: str, layout: str, leaf: str, made: list[str], names: dict[int, str]
) -> str:
    if isinstance(value, Tensor):
        names[len(names)] = name
        differentiable = value.is_floating_point() or value.is_complex()
        made.append(f"{name} = {_tensor(value, device, layout)}{leaf if differentiable else ''}")
        return name
    if isinstance(value, list | tuple):
        items = [
            _argument(item, f"{name}_{index}", device, layout, leaf, made, names)
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
