"""opweld: your own operators in PyTorch on Ascend NPUs, built and proved right also where there is no NPU.

Importing it before torch puts the process on the NPU: the real one where there is one, else the software NPU
that opweld brings. `OPWELD_AUTOLOAD=0` prevents that; `opweld.activate()` then does it on demand.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from opweld.environment import Device
from opweld.errors import FaultsFound, OpweldError, UsageError
from opweld.loader import activate, active_device, prepare

if TYPE_CHECKING:
    from opweld.faults import inject_faults
    from opweld.registration import RegistrationReport, check_operator_registration

__all__ = [
    "Device",
    "FaultsFound",
    "OpweldError",
    "RegistrationReport",
    "UsageError",
    "__version__",
    "activate",
    "active_device",
    "check_operator_registration",
    "inject_faults",
]

# `pytest -p opweld`
pytest_plugins = ("opweld.testing.plugin", "opweld.testing.faults")

try:
    __version__ = version("opweld")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"


def _is_command_line() -> bool:
    program = os.path.basename(sys.argv[0]) if sys.argv else ""
    return program == "opweld" or sys.orig_argv[1:3] == ["-m", "opweld"]


def _complete_path() -> None:
    """Adds the folder of built files of an editable installation, which pytest's loader of plugins misses."""
    for finder in sys.meta_path:
        if "editable" in type(finder).__module__ and (spec := finder.find_spec("opweld", None)):
            for folder in spec.submodule_search_locations or []:
                if folder not in __path__:
                    __path__.append(folder)


def __getattr__(name: str) -> Any:
    if name == "inject_faults":
        from opweld import faults

        return faults.inject_faults
    if name in ("RegistrationReport", "check_operator_registration"):
        from opweld import registration

        return getattr(registration, name)
    raise AttributeError(f"module 'opweld' has no attribute {name!r}")


_complete_path()
if os.environ.get("OPWELD_AUTOLOAD", "1") != "0" and not _is_command_line():
    prepare()
