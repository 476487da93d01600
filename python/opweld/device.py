"""Waiting for the device, and what its errors say: what the registration check, doctor and verify share."""

from __future__ import annotations

import re

# What torch_npu puts before the device's sentence: the function of the runtime that passed it on.
_PREFIX = re.compile(r"^(?:\[\w+\]\s*)?aclrtSynchronize\w*:\s*")
# What torch.compile puts in front of an error that its backend raised.
_BACKEND = re.compile(r"^backend=.* raised:$")
# What torch says (in lower case) of an operator that has no Meta kernel.
NO_FAKE = ("no fake impl", "no fake implementation", "no meta function")
NOT_IMPLEMENTED = "software NPU does not implement"
LONGEST = 400  # characters of a sentence that is shown


def synchronize(device: str) -> None:
    """Waits for the device, where a kernel's fault is told at the next synchronisation only."""
    import torch  # not for who only asks for reasons

    npu = getattr(torch, "npu", None)
    if device == "npu" and npu is not None:
        npu.synchronize()


def without_prefix(message: str) -> str:
    """A message of the device without the function that passed it on."""
    return _PREFIX.sub("", message)


def shortened(text: str) -> str:
    """A sentence of at most LONGEST characters: a longer one ends with a word and an ellipsis."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} ..."


def reason(error: BaseException) -> str:
    """The line of an error that says why: torch_npu puts the device's sentence last, others theirs first."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    if len(lines) > 1 and _BACKEND.match(lines[0]):
        return shortened(lines[1])  # which begins with the error's own type
    told = [line for line in lines if line.startswith("aclnn") or NOT_IMPLEMENTED in line]
    chosen = told[-1] if told else lines[-1 if "NPU function error" in lines[0] else 0]
    return f"{type(error).__name__}: {shortened(without_prefix(chosen))}"
