"""torch.compile, static and dynamic, forward and backward, with three backends, against eager."""

from __future__ import annotations

import re
import warnings
from typing import Any

import torch
from torch import Tensor

from opweld.device import synchronize
from opweld.graph import conversion
from opweld.verify.checks.base import Check, Context, differentiable_results, shares
from opweld.verify.checks.converting import require_convertible, require_torchair
from opweld.verify.checks.exporting import Calls, inputs_of, plain_tensors, tensors_of
from opweld.verify.compare import require_close
from opweld.verify.verdict import Failure, Skip, Verdict, fails_as

# Of an operator of the backward pass.
_NO_CONVERTER = re.compile(
    r"[^\n]*ge_converter is not implemented|No AscendIR \w+ was found"
    r"|Failed to auto-generated converter[^\n]*?(?=\. |\n|$)"
)


def check_compile(context: Context) -> Verdict:
    """One graph without breaks; results and gradients as in eager mode."""
    return _compare(context, "aot_eager")


def check_npugraph_ex(context: Context) -> Verdict:
    """The same in a captured graph."""
    require_torchair()
    return _compare(context, "npugraph_ex")


def check_torchair(context: Context) -> Verdict:
    """The same in the graph engine, which knows the operator by its converter and prototype."""
    require_convertible(context)
    import torchair

    try:
        return _compare(context, torchair.get_npu_backend())
    except Failure as failure:
        if failure.kind != "raises":
            raise
        if conversion.is_torchairs(context.operator.overload):
            raise Skip(f"torchair's own converter refuses it: {failure.detail}") from failure
        if conversion.is_decomposed(context.operator.overload):
            raise Failure("raises", f"decomposed into its formula, {failure.detail}") from failure
        raise


def _compare(context: Context, backend: Any) -> Verdict:
    operator = context.operator
    context.require_tensors()
    if operator.is_random() or operator.depends_on_data():
        raise Skip("the result is random, or its size depends on values")
    if any(
        result.alias_info is not None and not result.alias_info.is_write for result in operator.schema.returns
    ):
        raise Skip("the operator returns views of its arguments")
    plain = plain_tensors(context)
    model = Calls(context)
    backward = not operator.schema.is_mutable
    expected = _gradients(context, model) if backward else None
    without = ""
    for dynamic in (False, True):
        kind = "dynamic" if dynamic else "static"
        torch._dynamo.reset()
        compiled = torch.compile(model, backend=backend, fullgraph=True, dynamic=dynamic)
        with warnings.catch_warnings(), fails_as("raises", f"torch.compile ({kind} shapes) fails"):
            warnings.simplefilter("ignore")
            got = tensors_of(compiled(*inputs_of(context)))
            synchronize(context.device)
            try:
                found = _gradients(context, compiled) if expected is not None else None
            except Exception as error:
                missing = _NO_CONVERTER.search(str(error))
                if missing is None:
                    raise
                expected, without = None, f"; backward not: {missing[0]}"
                found = None
        require_close(got, plain, f"the eager result, compiled with {kind} shapes")
        if expected is not None and found is not None:
            require_close(found, expected, f"the eager gradient, compiled with {kind} shapes")
    return Verdict("forward and backward" if expected is not None else f"forward{without}")


def _gradients(context: Context, model: Any) -> list[Any] | None:
    """The gradients, or None where eager mode gives none."""
    inputs = inputs_of(context, requires_grad=True)
    wanted = [tensor for tensor in inputs if tensor.requires_grad]
    if not wanted:
        return None
    outputs = differentiable_results(model(*inputs))
    if not outputs:
        return None
    try:
        found = torch.autograd.grad(outputs, wanted, shares(outputs, context.seed), allow_unused=True)
        synchronize(context.device)
    except RuntimeError:
        if model.__class__ is Calls:  # eager mode has no backward, which is `gradients`' matter
            return None
        raise
    return [_host(gradient, tensor) for gradient, tensor in zip(found, wanted, strict=True)]


def _host(gradient: Tensor | None, tensor: Tensor) -> Tensor:
    """On the CPU; zeros where there is none, since a compiled graph may give either."""
    return torch.zeros(tensor.shape, dtype=tensor.dtype) if gradient is None else gradient.detach().cpu()


COMPILE = Check(
    "compile",
    check_compile,
    limit=1,
    needs=("outputs", "determinism", "meta", "symbolic"),
    call="print(torch.compile({function}, backend='aot_eager', fullgraph=True)({tensors}))",
)
NPUGRAPH_EX = Check(
    "npugraph-ex",
    check_npugraph_ex,
    limit=1,
    devices=("npu",),
    needs=("outputs", "determinism", "meta", "symbolic", "compile"),
    call="print(torch.compile({function}, backend='npugraph_ex', fullgraph=True)({tensors}))",
)
TORCHAIR = Check(
    "torchair",
    check_torchair,
    limit=1,
    devices=("npu",),
    needs=("outputs", "determinism", "meta", "symbolic", "compile", "infershape"),
    call="import torchair; "
    "print(torch.compile({function}, backend=torchair.get_npu_backend(), fullgraph=True)({tensors}))",
)
