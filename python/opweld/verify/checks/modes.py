"""The operator under autocast, in deterministic mode, and on another stream, against plain calls."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opweld.device import reason, synchronize
from opweld.verify.arguments import Arguments, results_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.compare import require_close, same_bits, to_host
from opweld.verify.verdict import Failure, Skip, Verdict, fails_as

LOWER = {"npu": (torch.float16, torch.bfloat16), "cpu": (torch.bfloat16,)}
DELAY = 24  # products of matrices before the arguments are ready


def check_autocast(context: Context) -> Verdict:
    """Under autocast the results are those of a plain call with arguments cast as the spec says.

    Without a spec any cast is right; the plain values must then be met within the lower tolerance.
    """
    context.require_pure()
    if not any(tensor.dtype == torch.float32 for tensor in context.arguments.tensors()):
        raise Skip("no argument is float32")
    operator, device = context.operator, context.device
    if operator.is_random():
        raise Skip("the operator is random")
    policy = operator.rules.autocast if operator.rules is not None else ""
    plain = context.eager()
    for lower in LOWER[device]:
        if policy == "lower" and not _takes(context, lower):
            raise Skip(f"the operator takes no {lower}")
        positional, keywords = context.arguments.make(device)
        with fails_as("raises", f"fails under autocast to {lower}"), torch.autocast(device, dtype=lower):
            got = to_host(operator.overload(*positional, **keywords))
            synchronize(device)
        if policy == "lower":
            expected = _of(context, lower)
            _require_bits(got, expected, f"under autocast to {lower}: not as with arguments of that dtype")
        elif policy in ("none", "fp32", "promote"):
            _require_bits(got, plain, f"under autocast to {lower}: not as without it")
        else:
            require_close(got, plain, "the result without autocast", allowed=_loose(lower), any_dtype=True)
    return Verdict()


def _cast(context: Context, dtype: torch.dtype) -> Arguments:
    return context.arguments.map(lambda t: t.to(dtype) if t.dtype == torch.float32 else t)


def _takes(context: Context, dtype: torch.dtype) -> bool:
    rules = context.operator.rules
    return rules is None or rules.accepts(_cast(context, dtype))


def _of(context: Context, dtype: torch.dtype) -> list[Any]:
    cast = _cast(context, dtype)
    with fails_as("raises", f"fails for arguments of {dtype}"):
        return to_host(context.operator.call(cast, context.device))


def _loose(dtype: torch.dtype) -> float:
    return 0.02 if dtype == torch.float16 else 0.1


def _require_bits(got: list[Any], expected: list[Any], what: str) -> None:
    for index, (mine, right) in enumerate(zip(got, expected, strict=True)):
        if isinstance(mine, Tensor) and isinstance(right, Tensor) and mine.dtype != right.dtype:
            raise Failure("dtype", f"{what}: result {index} is {mine.dtype} instead of {right.dtype}")
        if not same_bits(mine, right):
            raise Failure("value", f"{what}: result {index} has other values")


def check_deterministic_mode(context: Context) -> Verdict:
    """torch.use_deterministic_algorithms(True): the plain results, or a clear refusal."""
    plain = context.eager()
    torch.use_deterministic_algorithms(True)
    try:
        got = to_host(context.operator.call(context.arguments, context.device))
    except RuntimeError as error:
        if "deterministic" in str(error):
            return Verdict(f"refused, clearly: {reason(error)}")
        raise Failure("raises", f"fails in deterministic mode: {reason(error)}") from error
    finally:
        torch.use_deterministic_algorithms(False)
    if context.operator.is_random():
        return Verdict("the operator is random: values were not compared")
    return require_close(got, plain, "the result in plain mode")


def check_streams(context: Context) -> Verdict:
    """On a stream of its own, with arguments that are ready only after other work of that stream."""
    context.require_tensors()
    if context.operator.is_random():
        raise Skip("the operator is random")
    plain = context.eager()
    npu: Any = getattr(torch, "npu")  # noqa: B009 - torch_npu adds it
    positional, keywords = context.arguments.make("npu")
    late = Arguments(positional, keywords).map(lambda t: torch.zeros_like(t).contiguous() if t.numel() else t)
    work = torch.randn(192, 192, device="npu")
    stream = npu.Stream()
    stream.wait_stream(npu.current_stream())
    with fails_as("raises", "fails on another stream"):
        with npu.stream(stream):
            for _ in range(DELAY):
                work = torch.mm(work, work).clamp(-1, 1)
            for target, source in zip(late.tensors(), Arguments(positional, keywords).tensors(), strict=True):
                target.copy_(source)
            got_on_device = results_in(context.operator.overload(*late.positional, **late.keywords))
        npu.synchronize()
    return require_close(to_host(got_on_device), plain, "the result on the default stream")


AUTOCAST = Check(
    "autocast",
    check_autocast,
    limit=2,
    dtype="float32",
    needs=("outputs", "determinism"),
    call='with torch.autocast("{device}"): print({call})',
)
DETERMINISTIC_MODE = Check(
    "deterministic-mode",
    check_deterministic_mode,
    limit=2,
    needs=("outputs", "determinism"),
    call="torch.use_deterministic_algorithms(True); print({call})",
)
STREAMS = Check(
    "streams",
    check_streams,
    limit=2,
    devices=("npu",),
    needs=("outputs", "determinism"),
    call="with torch.npu.stream(torch.npu.Stream()): print({call})",
)
