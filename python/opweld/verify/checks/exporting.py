"""torch.export with the operator in the graph, and the exported program after a file."""

from __future__ import annotations

import io
import warnings
from typing import Any

import torch
from torch import Tensor

from opweld.verify.arguments import tensors_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.compare import require_close, to_host
from opweld.verify.verdict import Failure, Skip, Verdict, fails_as


class Calls(torch.nn.Module):
    """A model that calls the operator; the tensors of the sample are its inputs, all else is fixed.

    Its `forward` is made of text, so that nothing else is traced.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        values: dict[str, Any] = {"operator": context.operator.overload}
        names: list[str] = []

        def place(value: Any) -> str:
            if isinstance(value, Tensor):
                names.append(f"t{len(names)}")
                return names[-1]
            if isinstance(value, list | tuple):
                return "[" + ", ".join(map(place, value)) + "]"
            name = f"v{len(values)}"
            values[name] = torch.device(context.device) if isinstance(value, torch.device) else value
            return name

        given = [place(value) for value in context.arguments.positional]
        given += [f"{name}={place(value)}" for name, value in context.arguments.keywords.items()]
        text = f"def forward({', '.join(['self', *names])}):\n    return operator({', '.join(given)})\n"
        exec(compile(text, "<a model with one operator>", "exec"), values)
        self.forward = values["forward"].__get__(self)


def inputs_of(context: Context, **options: Any) -> list[Tensor]:
    """The tensors of the sample, made on the device."""
    positional, keywords = context.arguments.make(context.device, **options)
    return tensors_in([list(positional), keywords])


def plain_tensors(context: Context) -> list[Any]:
    """The tensors among the results of a plain call."""
    found = [item for item in context.eager() if isinstance(item, Tensor)]
    if not found:
        raise Skip("no result is a tensor")
    return found


def tensors_of(value: Any) -> list[Any]:
    """The tensors of a result, on the CPU."""
    return [item for item in to_host(value) if isinstance(item, Tensor)]


def _exported(context: Context) -> Any:
    context.require_pure()
    context.require_tensors()
    if context.operator.is_random() or context.operator.depends_on_data():
        raise Skip("the result is random, or its size depends on values")
    plain_tensors(context)
    with warnings.catch_warnings(), fails_as("raises", "torch.export fails"):
        warnings.simplefilter("ignore")
        return torch.export.export(Calls(context), tuple(inputs_of(context)))


def check_export(context: Context) -> Verdict:
    """The exported program calls the operator and gives the eager result."""
    program = _exported(context)
    if context.operator.namespace != "aten":
        targets = {node.target for node in program.graph.nodes}
        if context.operator.overload not in targets:
            composite = "CompositeImplicitAutograd" in str(context.operator.kernels.values())
            if not composite:
                raise Failure("graph", "the operator is not in the exported graph: something decomposes it")
    with fails_as("raises", "the exported program fails"):
        got = tensors_of(program.module()(*inputs_of(context)))
    return require_close(got, plain_tensors(context), "the eager result")


def check_serialization(context: Context) -> Verdict:
    """Saved and loaded, the exported program gives the eager result."""
    program = _exported(context)
    file = io.BytesIO()
    with warnings.catch_warnings(), fails_as("raises", "the exported program cannot be saved and loaded"):
        warnings.simplefilter("ignore")
        torch.export.save(program, file)
        file.seek(0)
        loaded = torch.export.load(file)
    with fails_as("raises", "the loaded program fails"):
        got = tensors_of(loaded.module()(*inputs_of(context)))
    return require_close(got, plain_tensors(context), "the eager result")


EXPORT = Check(
    "export",
    check_export,
    limit=1,
    needs=("outputs", "determinism", "meta", "symbolic"),
    call="print(torch.export.export(Model(), ({tensors},)))  # Model.forward: {call}",
)
SERIALIZATION = Check(
    "serialization",
    check_serialization,
    limit=1,
    needs=("outputs", "determinism", "meta", "symbolic", "export"),
    call="torch.export.save(torch.export.export(Model(), ({tensors},)), 'model.pt2')",
)
