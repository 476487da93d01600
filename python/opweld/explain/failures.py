"""The failures that the software NPU in this process remembers."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opweld import home

_FUNCTION = "opweldFailures"


@dataclass(frozen=True)
class Failure:
    """A task that failed on a stream (`task` is its name), or a call that returned an error (then "")."""

    code: int
    error: str
    message: str
    operators: tuple[str, ...] = ()
    task: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Failures:
    """All of them, the latest last."""

    tasks: tuple[Failure, ...]
    calls: tuple[Failure, ...]
    raised: tuple[str, ...]  # the operators that an exception ended last
    since: int  # how many operators this thread has entered after that; -1: another thread's exception
    entered: tuple[str, ...]


def read_failures() -> Failures | None:
    """What the software NPU remembers; None where there is none in this process."""
    library = _loaded_runtime()
    function = getattr(library, _FUNCTION, None)
    if function is None:
        return None
    function.restype = ctypes.c_char_p
    text = function()
    return None if text is None else _parse(json.loads(text))


def _loaded_runtime() -> ctypes.CDLL | None:
    folder = home.find_software_home()
    if folder is None:
        return None
    try:
        return ctypes.CDLL(str(folder / "lib64" / home.RUNTIME_LIBRARY), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None


def _parse(told: Mapping[str, Any]) -> Failures:
    raised = told["raised"] or {"operators": [], "since": 0}
    return Failures(
        tuple(_failure(item) for item in told["tasks"]),
        tuple(_failure(item) for item in told["calls"]),
        tuple(raised["operators"]),
        raised["since"],
        tuple(told["entered"]),
    )


def _failure(item: Mapping[str, Any]) -> Failure:
    return Failure(
        item["code"],
        item["error"],
        item["message"],
        tuple(item["operators"]),
        item.get("task", ""),
        item.get("arguments", {}),
    )
