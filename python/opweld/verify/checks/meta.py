"""The Meta kernel against the eager result: shapes, strides, dtypes, and no look at values."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor

from opweld.device import reason
from opweld.verify.arguments import results_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.verdict import Failure, Skip, Verdict

_READS_VALUES = re.compile(
    r"item\(\) (cannot be called )?on meta|_local_scalar_dense|Cannot copy out of meta|data.dependent", re.I
)


def check_meta(context: Context) -> Verdict:
    """Runs it on the meta device and holds the form of the results against a plain call's."""
    operator = context.operator
    positional, keywords = context.arguments.make(context.device)
    try:
        real = results_in(operator.run(context.device, positional, keywords))
    except Exception as error:  # an operator may raise anything
        raise Skip(f"the operator fails when it is simply called: {reason(error)}") from error
    if "Meta" not in operator.kernels or operator.kernels["Meta"].is_fallback:
        raise Failure("missing", "there is no Meta kernel: torch.compile and torch.export cannot trace it")
    positional, keywords = _on_meta(context)
    try:
        told = results_in(operator.overload(*positional, **keywords))
    except Exception as error:  # an operator may raise anything
        if operator.depends_on_data():
            return Verdict("refused, as it should be: the result depends on values")
        if _READS_VALUES.search(str(error)):
            raise Failure(
                "values", f"Meta uses values of its inputs, which it has not: {reason(error)}"
            ) from error
        raise Failure("raises", f"Meta refuses what the kernel accepts: {reason(error)}") from error
    if len(real) != len(told):
        raise Failure("count", f"{len(real)} results, but Meta gives {len(told)}")
    for index, (mine, meta) in enumerate(zip(real, told, strict=True)):
        _require_same_form(mine, meta, f"result {index}" if len(real) > 1 else "the result")
    return Verdict()


def _on_meta(context: Context) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments on the meta device; without a tensor it is the argument `device` that says so."""
    positional, keywords = context.arguments.make("meta")
    if context.arguments.tensors():
        return positional, keywords
    names = [argument.name for argument in context.operator.schema.arguments if not argument.kwarg_only]
    if "device" in keywords:
        return positional, keywords | {"device": torch.device("meta")}
    if "device" not in names:
        raise Skip("no argument says on which device the result is")
    values = list(positional)
    values[names.index("device")] = torch.device("meta")
    return tuple(values), keywords


def _require_same_form(real: Any, meta: Any, name: str) -> None:
    if not isinstance(real, Tensor) or not isinstance(meta, Tensor):
        if isinstance(real, Tensor) != isinstance(meta, Tensor):
            raise Failure("kind", f"{name} is {type(real).__name__}, but Meta gives {type(meta).__name__}")
        return
    if meta.device.type != "meta":
        raise Failure("device", f"{name} of Meta is on {meta.device}, not on meta")
    if real.shape != meta.shape:
        raise Failure("shape", f"{name} has shape {list(real.shape)}, but Meta says {list(meta.shape)}")
    if real.dtype != meta.dtype:
        raise Failure("dtype", f"{name} is {real.dtype}, but Meta says {meta.dtype}")
    if _strides(real) != _strides(meta):
        raise Failure(
            "strides", f"{name} has strides {list(real.stride())}, but Meta says {list(meta.stride())}"
        )


def _strides(tensor: Tensor) -> list[int]:
    """The strides that matter: a dimension of size 1 may have any."""
    if tensor.numel() == 0:
        return []
    return [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]


META = Check("meta", check_meta, cases="all", call="print({meta_call})")
