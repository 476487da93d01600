"""The NPU inside the running process: what `import opweld` and `opweld.activate()` do.

torch_npu finds CANN by library names, and the loader path of a running process is fixed. So the libraries of
the software NPU are loaded by their full paths before torch is: the later look-up by name finds them. Their
symbols stay local: libopapi.so brings libtorch, whose protobuf and Gloo symbols must not reach all others.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.abc
import importlib.machinery
import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from importlib import util
from types import ModuleType

from opweld import home, log, vendor
from opweld.environment import Device, choose_device, variables
from opweld.errors import OpweldError, UsageError
from opweld.startup import opweld_first_graph

_lock = threading.Lock()
_log = log.logger("loader")
_active: Device | None = None
_libraries: list[ctypes.CDLL] = []


def active_device() -> Device | None:
    """The device this process was put on by opweld, or None."""
    return _active


def activate(*, devices: int | None = None, soc: str | None = None, target: str | None = None) -> Device:
    """Puts this process, and those it starts from now on, on the NPU. Call it before torch is imported.

    Sets the environment and, for the software NPU, loads its libraries. Calling it again changes nothing;
    asking for another device then is a UsageError.
    """
    global _active
    log.configure()
    with _lock:
        wanted = choose_device(target, devices, soc)
        if _active is not None:
            if wanted != _active:
                raise UsageError(
                    f"this process is on {_active.describe()} already and cannot change to "
                    f"{wanted.describe()}; use another process"
                )
            return _active
        if wanted.software and "torch_npu" in sys.modules and not _software_is_loaded():
            raise OpweldError(
                "torch_npu was imported before opweld and is bound to another CANN; "
                "import opweld first, or use 'opweld run'"
            )
        os.environ.update(variables(wanted))
        if wanted.software:
            _load_libraries(wanted)
        opweld_first_graph.install()
        _active = wanted
        _log.info("this process is on %s", wanted.describe())
        return wanted


def prepare() -> None:
    """What `import opweld` does: sets the environment now, and loads the libraries when torch is imported."""
    if "torch_npu" in sys.modules:
        _check_late_import()
        return
    if "torch" in sys.modules:
        activate()
        return
    with contextlib.suppress(OpweldError):  # raised when torch is imported; other uses need no NPU
        os.environ.update(variables(choose_device()))
    sys.meta_path.insert(0, _BeforeTorch())


def _check_late_import() -> None:
    known = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep)
    unseen = [
        package.name for package in vendor.installed() if package.folder and str(package.folder) not in known
    ]
    if unseen:
        warnings.warn(
            "torch_npu was imported before opweld and does not see the operator packages "
            f"{', '.join(unseen)}; import opweld before torch, or use 'opweld run'",
            RuntimeWarning,
            stacklevel=4,
        )


def _software_is_loaded() -> bool:
    software = home.find_software_home()
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return software is not None and any(str(software / "lib64") in line for line in maps)


def _load_libraries(device: Device) -> None:
    folder = device.home / "lib64"
    first = folder / home.RUNTIME_LIBRARY
    for path in [first, *sorted(path for path in folder.glob("lib*.so") if path != first)]:
        try:
            _libraries.append(ctypes.CDLL(str(path), mode=ctypes.RTLD_LOCAL))
            _log.debug("loaded %s", path)
        except OSError as error:
            raise OpweldError(f"library {path} of the software NPU cannot be loaded: {error}") from error


class _BeforeTorch(importlib.abc.MetaPathFinder):
    """Finds torch as usual, but loads the software NPU before torch's own code runs."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "torch" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        try:
            spec = util.find_spec("torch")
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            self._run_before(spec.loader)
        return spec

    def _run_before(self, loader: importlib.abc.Loader) -> None:
        execute: Callable[[ModuleType], None] = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                _activate_for_torch()
            execute(module)

        loader.exec_module = exec_module  # type: ignore[method-assign]


def _activate_for_torch() -> None:
    if util.find_spec("torch_npu") is None:
        return
    try:
        activate()
    except OpweldError as error:
        raise ImportError(f"opweld: {error}") from error
