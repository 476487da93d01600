"""Gradients: numerical ones where the kernel takes float64, else the reference's."""

from __future__ import annotations

import re
import warnings
from typing import Any

import torch
from torch import Tensor

from opweld.device import reason, synchronize
from opweld.testing.tolerances import tolerance
from opweld.verify.arguments import Arguments
from opweld.verify.checks.base import (
    Check,
    Context,
    differentiable_results,
    is_differentiable,
    leaves,
    shares,
)
from opweld.verify.compare import require_close
from opweld.verify.verdict import Failure, Skip, Verdict, beyond_device

SAYS_NO = (
    "has no derivative",
    "not differentiable",
    "not implemented for",
    "is not implemented",
    "derivative for",
)
NOT_REGISTERED = re.compile(r"derivative for \S+ is not implemented")
FACTOR = 4  # of the tolerance of values: a gradient sums up more of them


def check_gradients(context: Context) -> Verdict:
    """Whether there is a gradient, the right one, and in float64 a right second one."""
    context.require_pure()
    context.require_tensors()
    if not context.floating_results():
        raise Skip("no result could have a gradient")
    operator, device = context.operator, context.device
    if operator.is_random():
        raise Skip("the operator is random")
    made = context.arguments.make(device, requires_grad=True)
    inputs = leaves(made)
    if not inputs:
        raise Skip("no argument could have a gradient")
    try:
        outputs = differentiable_results(operator.run(device, *made))
    except Exception as error:  # an operator may raise anything
        if "not differentiable with respect to" in str(error):
            raise Skip(reason(error)) from error
        raise Failure("raises", f"fails where arguments require a gradient: {reason(error)}") from error
    if not outputs:
        _require_no_gradient_expected(context)
        raise Skip("the operator is not differentiable, and its reference neither")
    given = shares(outputs, context.seed)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = torch.autograd.grad(outputs, inputs, given, allow_unused=True)
            synchronize(device)
    except Exception as error:  # an operator may raise anything
        if reason_not := beyond_device(error):
            raise Skip(reason_not) from error
        if NOT_REGISTERED.search(str(error)) and operator.differentiable is not False:
            raise Failure("missing", f"there is no autograd kernel: {reason(error)}") from error
        if any(phrase in str(error) for phrase in SAYS_NO):
            return _refused(context, error)
        raise Failure("raises", f"the backward fails: {reason(error)}") from error
    if any("autograd kernel was not registered" in str(warning.message) for warning in told):
        raise Failure("missing", "there is no autograd kernel: gradients are silently lost")
    if all(gradient is None for gradient in found):
        raise Failure("missing", "no gradient reaches any argument although the result requires one")
    for gradient, tensor in zip(found, inputs, strict=True):
        if gradient is not None and gradient.shape != tensor.shape:
            raise Failure(
                "shape", f"a gradient has shape {list(gradient.shape)}, its input {list(tensor.shape)}"
            )
    verdict = _against_reference(
        context, [_host(gradient, t) for gradient, t in zip(found, inputs, strict=True)]
    )
    numerical = _numerical(context) if device == "cpu" else ""
    if numerical.startswith("gradcheck"):
        verdict.caution = ""
    elif verdict.detail:
        raise Skip(verdict.detail)
    verdict.detail = numerical
    return verdict


def _refused(context: Context, error: Exception) -> Verdict:
    rules = context.operator.rules
    if rules is not None and rules.backward not in (None, "none"):
        raise Failure("raises", f"the backward fails: {reason(error)}") from error
    return Verdict(f"refused, clearly: {reason(error)}")


def _host(gradient: Tensor | None, tensor: Tensor) -> Tensor:
    return torch.zeros(tensor.shape, dtype=tensor.dtype) if gradient is None else gradient.detach().cpu()


def _require_no_gradient_expected(context: Context) -> None:
    operator = context.operator
    if operator.differentiable is False:
        return
    for _, reference in operator.references(context.device):
        if reference is operator.overload:
            continue
        made = context.arguments.make("cpu", requires_grad=True)
        try:
            expected = differentiable_results(reference(*made[0], **made[1]))
        except Exception as error:  # whatever it is, it tells nothing of gradients
            raise Skip(f"the reference cannot be computed: {reason(error)}") from error
        if not expected:
            return
        raise Failure(
            "missing", "the result requires no gradient although an input does and the reference has one"
        )
    raise Failure(
        "missing", "the result requires no gradient although an input does: there is no autograd kernel"
    )


def _against_reference(context: Context, found: list[Tensor]) -> Verdict:
    """Gradients of the reference in float64 on the CPU, else in the dtype itself.

    The verdict's `detail` says why there are none although there is a reference.
    """
    failures: list[Failure] = []
    unknown = ""
    for name, reference in context.operator.references(context.device):
        for dtype in (torch.float64, None):
            made = context.arguments.make("cpu", requires_grad=True, dtype=dtype)
            inputs = leaves(made)
            try:
                outputs = differentiable_results(reference(*made[0], **made[1]))
                given = [
                    share.to(output.dtype)
                    for share, output in zip(_own_shares(context, outputs), outputs, strict=True)
                ]
                gradients = torch.autograd.grad(outputs, inputs, given, allow_unused=True)
            except Exception as error:  # a reference may not take the dtype, or have no gradient
                unknown = f"the gradient of {name} cannot be computed: {reason(error)}"
                continue
            expected = [_host(g, t) for g, t in zip(gradients, inputs, strict=True)]
            try:
                verdict = _compare(context, found, expected, f"that of {name}")
                verdict.caution = context.operator.caution(context.device)
                return verdict
            except Failure as failure:
                failures.append(failure)
    if failures:
        raise min(failures, key=lambda failure: failure.error or 0)
    return Verdict(unknown, "" if unknown else context.operator.caution(context.device))


def _own_shares(context: Context, outputs: list[Tensor]) -> list[Tensor]:
    """The gradients that the operator itself went backward with, rounded as there."""
    kinds = {t.dtype for t in context.arguments.tensors() if t.is_floating_point()}
    rounded = next(iter(kinds)) if len(kinds) == 1 else None
    given = shares([output.detach().double() for output in outputs], context.seed)
    return [share.to(rounded) if rounded is not None else share for share in given]


def _compare(context: Context, found: list[Tensor], expected: list[Any], against: str) -> Verdict:
    verdict = Verdict(error=0.0)
    for name, mine, right in zip(_leaf_names(context), found, expected, strict=True):
        limit = FACTOR * tolerance(mine.dtype)
        what = f"the gradient of '{name}'"
        part = require_close([mine], [right], against, allowed=limit, any_dtype=True, what=what)
        verdict.error = max(verdict.error or 0.0, part.error or 0.0)
        for power, count in part.histogram.items():
            verdict.histogram[power] = verdict.histogram.get(power, 0) + count
    return verdict


def _leaf_names(context: Context) -> list[str]:
    """The names of the arguments that get a gradient, in the order of `leaves`; of a list's `name[index]`."""
    arguments = context.arguments
    names = [argument.name for argument in context.operator.schema.arguments]
    found = []
    for name, value in [*zip(names, arguments.positional, strict=False), *arguments.keywords.items()]:
        many = isinstance(value, list | tuple)
        for index, item in enumerate(value if many else [value]):
            if is_differentiable(item):
                found.append(f"{name}[{index}]" if many else name)
    return found


def _numerical(context: Context) -> str:
    """gradcheck and gradgradcheck; what could not be done, in words."""
    operator = context.operator
    if operator.rules is not None and not operator.rules.accepts_dtype(torch.float64):
        return "no gradcheck: the kernel takes no float64"
    made = context.arguments.make("cpu", requires_grad=True, dtype=torch.float64)
    inputs = leaves(made)
    try:
        operator.run("cpu", *context.arguments.make("cpu", dtype=torch.float64))
    except Exception as error:  # it takes no float64
        return f"no gradcheck: {reason(error)}"

    def function(*values: Tensor) -> tuple[Tensor, ...]:
        given = iter(values)
        placed = Arguments(*made).map(lambda tensor: next(given) if tensor.requires_grad else tensor)
        return tuple(differentiable_results(operator.overload(*placed.positional, **placed.keywords)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            torch.autograd.gradcheck(function, inputs, fast_mode=True)
        except Exception as error:  # gradcheck raises what the operator raises, too
            raise Failure("value", f"gradcheck: {_first_lines(error)}") from error
        try:
            torch.autograd.gradgradcheck(function, inputs, fast_mode=True)
        except Exception as error:
            if any(phrase in str(error) for phrase in (*SAYS_NO, "does not require grad")):
                return "gradcheck; a second derivative is refused"
            raise Failure("second", f"gradgradcheck: {_first_lines(error)}") from error
    return "gradcheck, gradgradcheck"


def _first_lines(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


GRADIENTS = Check(
    "gradients",
    check_gradients,
    limit=2,
    per_dtype=True,
    floating=True,
    needs=("outputs", "determinism"),
    call="print({gradients})",
)
