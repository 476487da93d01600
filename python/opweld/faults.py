"""Faults on purpose: the n-th allocation or task of the software NPU fails as it would on a broken device.

    with opweld.inject_faults("kernel@1:aclnnAdd"):  # the 1st aclnnAdd that runs fails
    with opweld.inject_faults("oom@3+"):  # no device memory from the 3rd allocation on

The variable OPWELD_FAULTS takes the same specification, for a whole process.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from typing import Any

from opweld import home
from opweld.errors import OpweldError, UsageError

_FUNCTION = "opweldInjectFaults"


def set_faults(specification: str) -> None:
    """Replaces all faults by these; "" takes them away. Counting starts anew.

    Raises UsageError for a specification that is none, OpweldError where there is no software NPU to break.
    """
    if _runtime()[_FUNCTION](specification.encode()) != 0:
        raise UsageError(_recent_message() or f"{specification!r} is no specification of faults")


@contextlib.contextmanager
def inject_faults(specification: str) -> Iterator[None]:
    """Faults for a block of code.

    Waits for what the devices have to do already, which no fault shall hit, and at the end of the block for
    what it started: errors of its kernels come out of the block at the latest there. A block that raises is
    left without waiting.
    """
    _wait_for_devices()
    set_faults(specification)
    try:
        yield
        _wait_for_devices()
    finally:
        set_faults("")


def _runtime() -> ctypes.CDLL:
    path = home.find_software_home()
    library = None if path is None else path / "lib64" / home.RUNTIME_LIBRARY
    loaded = getattr(sys.modules.get("opweld.loader"), "active_device", lambda: None)()
    if library is None or (loaded is not None and not loaded.software):
        raise OpweldError("faults can be injected into the software NPU only, and this process is not on it")
    runtime = ctypes.CDLL(str(library))
    if not hasattr(runtime, _FUNCTION):
        raise OpweldError(
            f"{library} has no function {_FUNCTION}: it is older than this opweld; install again"
        )
    return runtime


def _recent_message() -> str:
    message = _runtime()["aclGetRecentErrMsg"]
    message.restype = ctypes.c_char_p
    return (message() or b"").decode(errors="replace").strip()


def _wait_for_devices() -> None:
    npu: Any = getattr(sys.modules.get("torch"), "npu", None)
    if npu is not None and npu.is_initialized():
        for index in range(npu.device_count()):
            npu.synchronize(index)
