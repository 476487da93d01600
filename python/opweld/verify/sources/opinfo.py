"""Samples of PyTorch's own operators: what its OpInfo tables call an overload with, recorded."""

from __future__ import annotations

import functools
import random
import warnings
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from opweld.verify.arguments import Arguments
from opweld.verify.operators import Operator

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool)
PER_DTYPE = 6
LARGEST = 1 << 16


def samples(operator: Operator, seed: int) -> list[Arguments]:
    """Recorded calls, at most PER_DTYPE for each dtype; empty where OpInfo doesn't know the operator."""
    found: list[Arguments] = []
    name = operator.name.partition("::")[2].partition(".")[0]
    infos = _by_name().get(name.removesuffix("_"), [])
    for dtype in DTYPES:
        recorded: list[Arguments] = []
        for info in infos:
            if dtype in info.supported_dtypes("cpu"):
                recorded += _record(operator, info, dtype, seed, in_place=name.endswith("_"))
        found += _varied(recorded, seed)
    if infos:
        operator.differentiable = any(info.supports_autograd for info in infos)
    return found


@functools.cache
def _by_name() -> dict[str, list[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    table: dict[str, list[Any]] = {}
    for info in op_db:
        for name in {info.aten_name, info.name.rpartition(".")[2]}:
            table.setdefault(name, []).append(info)
    return table


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, overload: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._overload = overload
        self.calls: list[Arguments] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        strided = all(item.layout == torch.strided for item in _flat(args, kwargs))
        if function is self._overload and strided:
            self.calls.append(_copied(args, kwargs or {}))
        return function(*args, **(kwargs or {}))


def _flat(args: Any, kwargs: Any) -> list[torch.Tensor]:
    return [item for item in tree_flatten((args, kwargs))[0] if isinstance(item, torch.Tensor)]


def _copied(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    def copy(value: Any) -> Any:
        return value.detach().contiguous().clone() if isinstance(value, torch.Tensor) else value

    return Arguments(tuple(tree_map(copy, list(args))), tree_map(copy, kwargs))


def _record(
    operator: Operator, info: Any, dtype: torch.dtype, seed: int, *, in_place: bool
) -> list[Arguments]:
    function = info.inplace_variant if in_place else info.op
    calls: list[Arguments] = []
    torch.manual_seed(seed)
    random.seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = list(info.sample_inputs("cpu", dtype, requires_grad=False))
        except Exception:  # of PyTorch's own making of samples
            return []
        for sample in made[:200]:
            values = (sample.input, *sample.args)
            with _Recorder(operator.overload) as recorder:
                try:
                    function(*tree_map(_clone, list(values)), **sample.kwargs)
                except Exception:  # samples for errors, or of another variant
                    continue
            calls += recorder.calls or _direct(operator, values, sample.kwargs)
    return [call for call in calls if sum(t.numel() for t in call.tensors()) <= LARGEST]


def _clone(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _direct(operator: Operator, values: tuple[Any, ...], keywords: dict[str, Any]) -> list[Arguments]:
    """For an operator that is decomposed before it could be recorded."""
    if not torch._C._dispatch_has_kernel_for_dispatch_key(operator.name, "CompositeImplicitAutograd"):
        return []
    if any(item.layout != torch.strided for item in _flat(values, keywords)):
        return []
    arguments = _copied(values, keywords)
    try:
        operator.overload(*arguments.positional, **arguments.keywords)
    except Exception:  # not this overload's arguments
        return []
    return [arguments]


def _varied(recorded: list[Arguments], seed: int) -> list[Arguments]:
    """Some of the calls, of different shapes first."""
    by_shape: dict[str, list[Arguments]] = {}
    for call in recorded:
        by_shape.setdefault(str([list(t.shape) for t in call.tensors()]), []).append(call)
    groups = list(by_shape.values())
    random.Random(seed).shuffle(groups)
    chosen = [group[0] for group in groups[:PER_DTYPE]]
    rest = [call for group in groups for call in group[1:]]
    return (chosen + rest)[:PER_DTYPE]
