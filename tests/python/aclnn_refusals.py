"""What aclnn functions refuse before a kernel runs; runs in a process on the software NPU."""

from __future__ import annotations

from typing import Any

import torch

from aclnn_call import AclnnError, call

FIRST_PHASE = "161002: "


def _npu(values: Any, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype).npu()


def _calls() -> dict[str, tuple[Any, ...]]:
    """Calls that PyTorch refuses, by what is wrong with them."""
    flags, other = _npu([True, False], torch.bool), _npu([True, False], torch.bool)
    small, bytes_ = _npu([1, 2], torch.int8), _npu([1, 2, 3], torch.uint8)
    half, numbers = _npu([1.0, 2.0], torch.float16), _npu([1.0, 2.0])
    long, none, place = _npu([1, 2], torch.int64), torch.empty(0, device="npu"), _npu([0], torch.int64)
    return {
        "limit of int8": ("Clamp", small, 0, 1000, small),
        "limit of float16": ("Clamp", half, None, 1e6, half),
        "limit of int8 alone": ("ClampMin", small, 1000, small),
        "limits of booleans": ("Clamp", flags, True, None, flags),
        "round booleans": ("Floor", flags, flags),
        "round booleans in place": ("InplaceCeil", flags),
        "round integers to decimals": ("RoundDecimals", small, 0, small),
        "absolute booleans": ("Abs", flags, flags),
        "negative booleans": ("Neg", flags, flags),
        "difference of booleans": ("Sub", flags, other, 1, flags),
        "difference in a list": ("ForeachSubListV2", [flags], [other], 1, [flags]),
        "difference the other way": ("Rsubs", flags, True, 1, flags),
        "power of booleans": ("PowTensorTensor", flags, other, flags),
        "power of a boolean": ("PowScalarTensor", True, flags, flags),
        "power that overflows": ("PowTensorScalar", small, 300, small),
        "complex factor": ("Add", numbers, numbers, 1j, numbers),
        "even numbers that overflow": ("Linspace", 0.0, 1e6, 2, half),
        "even booleans": ("Linspace", 0.0, 1.0, 2, flags),
        "exponents that overflow": ("LogSpace", 0.0, 1e6, 2, 2.0, half),
        "range of booleans": ("Range", 0, 1, 1, flags),
        "range without steps": ("Arange", 0, 2, 0, long),
        "range beyond int64": ("Arange", -(2**63), 2**63 - 1, 2**62, long),
        "fill places that are not there": ("IndexFillTensor", bytes_, 0, [3], 1, bytes_),
        "fill with what does not fit": ("IndexFillTensor", bytes_, 0, [0], 300, bytes_),
        "greatest of none": ("MaxDim", none, 0, False, numbers[0], place[0]),
        "place of the least of none": ("ArgMin", none, 0, False, place[0]),
        "extremes of none": ("Amax", none, [0], False, numbers[0]),
        "infinite norm of none": ("Norm", none, float("inf"), [0], False, numbers[0]),
        "histogram upside down": ("Histc", numbers, 2, 1, -1, numbers.clone()),
        "mode of rotation": ("ApplyRotaryPosEmbV2", *[half.view(1, 1, 1, 2)] * 4, 1, "quarters"),
        "alpha of an activation": ("InplaceCelu", numbers, 0.0),
    }


def not_in_the_first_phase() -> dict[str, str]:
    """The calls that end in another way than an error of the first phase, and how."""
    others = {}
    for what, (name, *arguments) in _calls().items():
        try:
            call(name, *arguments)
            others[what] = "no error"
        except (AclnnError, RuntimeError) as error:
            if not str(error).startswith(FIRST_PHASE):
                others[what] = str(error)
    return others


def one_value_into_shared_places() -> dict[str, list[float]]:
    """Fills of a tensor whose rows share memory, as PyTorch allows them."""
    found = {}
    for what, fill in {
        "zero": lambda x: x.zero_(),
        "number": lambda x: x.fill_(3),
        "mask": lambda x: x.masked_fill_(_npu([True, False], torch.bool), 5),
    }.items():
        memory = torch.ones(1, 2, device="npu")
        fill(memory.expand(3, 2))
        found[what] = memory[0].tolist()
    return found


def unsigned_places() -> dict[str, list[int]]:
    """Integers that ATen does not fill by itself."""
    found = {}
    for dtype, value in ((torch.uint16, 65535), (torch.uint32, 2**32 - 1), (torch.uint64, 2**62)):
        x = torch.tensor([1, 2, 3], dtype=dtype).npu()
        found[str(dtype)] = x.index_fill(0, torch.tensor([-1]).npu(), value).cpu().tolist()
    return found
