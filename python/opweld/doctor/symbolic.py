"""Runs an operator's Meta with symbolic sizes, as torch.compile does with dynamic shapes."""

from __future__ import annotations

import logging
import re
from typing import Any

import torch

from opweld.doctor.findings import Finding, Place
from opweld.samples import Sample, tensors_in

_DATA = ("DataDependent", "GuardOnDataDependent", "UnsupportedOperatorException")
_FIXED = (
    "symbolic sizes/strides",
    "symbolic ints",
    "SymIntArrayRef expected",
    "Cannot call sizes()",
    "Cannot call numel()",
)


def examine_symbolic(name: str, operator: Any, sample: Sample) -> list[Finding]:
    """OW806 where Meta needs values, OW807 where it fixes sizes, OW805 for a result elsewhere."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    shapes = ShapeEnv(duck_shape=False, specialize_zero_one=True)
    mode = FakeTensorMode(shape_env=shapes)

    def fake(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            real = torch.empty(value.shape, dtype=value.dtype)
            context: Any = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * real.dim())
            return mode.from_tensor(real, symbolic_context=context)
        if isinstance(value, list | tuple):
            return type(value)(fake(item) for item in value)
        return value

    arguments = fake(sample[0])
    keywords = {key: fake(value) for key, value in sample[1].items()}
    symbols = {
        str(_expression(size))
        for tensor in tensors_in([arguments, list(keywords.values())])
        for size in tensor.shape
        if isinstance(size, torch.SymInt)
    }
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    log.setLevel(logging.CRITICAL)  # it logs a traceback of what is reported here
    try:
        with mode:
            results = operator(*arguments, **keywords)
    except Exception as error:  # an operator may raise anything
        return _failed(name, error)
    finally:
        log.setLevel(level)
    wrong = [item.device.type for item in tensors_in(results) if item.device.type != "cpu"]
    if wrong:
        return [
            Finding(
                "OW805", Place(name), f"the Meta of {name} makes its result on {wrong[0]} for inputs on cpu"
            )
        ]
    fixed = sorted(
        f"{symbol} = {value}"
        for symbol, value in ((str(key), value) for key, value in shapes.replacements.items())
        if symbol in symbols and getattr(value, "is_number", False)
    )
    if fixed:
        return [
            Finding(
                "OW807",
                Place(name),
                f"the Meta of {name} makes a constant of a size of its inputs ({fixed[0]})",
            )
        ]
    return []


def _failed(name: str, error: Exception) -> list[Finding]:
    kind, text = type(error).__name__, str(error)
    first = re.sub(r"^\S+\.(h|cpp|cc):\d+: ", "", text.strip().splitlines()[0]) if text.strip() else kind
    if any(told in text for told in _FIXED):
        return [Finding("OW807", Place(name), f"the Meta of {name} fails with dynamic shapes: {first}")]
    if any(kind.startswith(told) for told in _DATA):
        return [Finding("OW806", Place(name), f"the Meta of {name} reads a tensor's data: {first}")]
    return []


def _expression(size: Any) -> Any:
    return size.node.expr
