"""torch.vmap over a batch of the sample against a loop."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import torch
from torch import Tensor

from opweld.device import reason, synchronize
from opweld.verify.arguments import map_tensors, results_in, tensors_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.compare import require_close, to_host
from opweld.verify.verdict import Failure, Skip, Verdict, fails_as

BATCH = 3
NOT_SUPPORTED = ("vmap", "batching rule", "functorch", "non-functional", "in-place")


def check_vmap(context: Context) -> Verdict:
    """Every tensor argument gets a batch dimension in front, of as many different values."""
    context.require_pure()
    context.require_tensors()
    operator, device = context.operator, context.device
    if operator.is_random() or operator.depends_on_data():
        raise Skip("the result is random, or its size depends on values")
    context.eager()
    batch = [context.arguments.map(partial(_varied, number=number)) for number in range(BATCH)]
    with fails_as("raises", "the operator fails for other values"):
        loop = [results_in(operator.call(arguments, device)) for arguments in batch]
    stacked, rebuild = _stack([arguments.make(device) for arguments in batch])

    def function(*tensors: Tensor) -> tuple[Tensor, ...]:
        positional, keywords = rebuild(list(tensors))
        results = results_in(operator.overload(*positional, **keywords))
        return tuple(result for result in results if isinstance(result, Tensor))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = to_host(torch.vmap(function)(*stacked))
            synchronize(device)
    except Exception as error:  # an operator may raise anything
        declared = operator.rules is not None and operator.rules.batching
        if not declared and any(phrase in str(error).lower() for phrase in NOT_SUPPORTED):
            raise Skip(f"there is no batching rule: {reason(error)}") from error
        raise Failure("raises", f"vmap fails: {reason(error)}") from error
    tensors = [[item for item in results if isinstance(item, Tensor)] for results in loop]
    expected = [torch.stack([item.cpu() for item in items]) for items in zip(*tensors, strict=True)]
    return require_close(got, list(expected), "a loop over the batch")


def _varied(tensor: Tensor, number: int) -> Tensor:
    """Other values for each member of the batch; integers stay, since they may be indices."""
    return tensor * (number + 1) if tensor.is_floating_point() else tensor


def _stack(made: list[Any]) -> tuple[list[Tensor], Any]:
    columns: list[list[Tensor]] = []
    for positional, keywords in made:
        columns.append(tensors_in([list(positional), keywords]))
    stacked = [torch.stack(items) for items in zip(*columns, strict=True)]

    def rebuild(tensors: list[Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        given = iter(tensors)
        positional, keywords = made[0]
        return (
            tuple(map_tensors(value, lambda _: next(given)) for value in positional),
            {name: map_tensors(value, lambda _: next(given)) for name, value in keywords.items()},
        )

    return stacked, rebuild


VMAP = Check(
    "vmap",
    check_vmap,
    limit=3,
    needs=("outputs", "determinism"),
    call="print(torch.vmap({function})({batched}))",
)
