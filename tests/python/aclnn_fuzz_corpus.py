"""Writes down the right calls of aclnn_cases, so that the fuzzer has something to spoil.

Runs in a process on the software NPU (see npu_process.py).
"""

import importlib
import json
from pathlib import Path
from typing import Any

import torch

import aclnn_compare
from aclnn_call import DTYPES, functions

_CALLS_PER_FUNCTION = 6


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return {
            "shape": list(value.shape),
            "strides": list(value.stride()),
            "offset": value.storage_offset(),
            "dtype": DTYPES[value.dtype],
        }
    if isinstance(value, torch.dtype):
        return DTYPES[value]
    if isinstance(value, (list, tuple, torch.Size)):
        return [_plain(item) for item in value]
    if isinstance(value, complex):
        return value.real
    return value


def record(path: str, families: list[str]) -> int:
    """Writes function -> calls -> arguments as JSON; the number of calls."""
    calls: dict[str, list[Any]] = {}

    def keep(name: str, *arguments: Any) -> None:
        calls.setdefault(f"aclnn{name}", []).append([_plain(argument) for argument in arguments])

    real, aclnn_compare.call = aclnn_compare.call, keep
    try:
        for family in families:
            module, _, name = family.partition(":")
            for case in getattr(importlib.import_module(module), name)():
                known = case.function in functions()
                if known and len(calls.get(f"aclnn{case.function}", [])) < _CALLS_PER_FUNCTION:
                    aclnn_compare._run(case, aclnn_compare._dtypes(case)[0], "contiguous")
    finally:
        aclnn_compare.call = real
    Path(path).write_text(json.dumps(calls))
    return sum(map(len, calls.values()))
