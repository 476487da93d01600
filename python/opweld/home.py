"""Where CANN is: the software NPU that opweld brings, and a real one if the machine has it.

Both are folders laid out as CANN lays out its installation (`lib64`, `opp`, `bin`, `runtime`, ...).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from opweld.errors import OpweldError

RUNTIME_LIBRARY = "libascendcl.so"
DEVICE_NODES = "/dev/davinci[0-9]*"


def is_cann_home(path: Path) -> bool:
    """Whether `path` is the root of a CANN installation (real or software)."""
    return (path / "lib64" / RUNTIME_LIBRARY).is_file()


def find_software_home(environ: Mapping[str, str] | None = None) -> Path | None:
    """The root of the software NPU, or None where this installation has none.

    `OPWELD_CANN` names another build of it (for work on opweld itself).
    """
    override = (os.environ if environ is None else environ).get("OPWELD_CANN")
    if override:
        return Path(override).resolve() if is_cann_home(Path(override)) else None
    import opweld

    for entry in opweld.__path__:
        candidate = Path(entry) / "cann"
        if is_cann_home(candidate):
            return candidate.resolve()
    return None


def software_home(environ: Mapping[str, str] | None = None) -> Path:
    """The root of the software NPU. Raises OpweldError where there is none."""
    environ = os.environ if environ is None else environ
    home = find_software_home(environ)
    if home is None:
        if environ.get("OPWELD_CANN"):
            raise OpweldError(
                f"OPWELD_CANN is {environ['OPWELD_CANN']!r}, but there is no lib64/{RUNTIME_LIBRARY} in it; "
                "unset it, or point it to a build's 'cann' folder"
            )
        raise OpweldError(
            f"this installation of opweld has no software NPU (no cann/lib64/{RUNTIME_LIBRARY} in its "
            "package); run scripts/setup, or install opweld again"
        )
    return home


def find_real_home(environ: Mapping[str, str] | None = None) -> Path | None:
    """The root of a real CANN with a real device, or None.

    It counts only where `ASCEND_HOME_PATH` leads to a CANN that is not opweld's, and a device node exists.
    """
    environ = os.environ if environ is None else environ
    named = environ.get("ASCEND_HOME_PATH")
    if not named or not is_cann_home(Path(named)) or is_software_home(Path(named)):
        return None
    return Path(named) if has_device_node() else None


def is_software_home(path: Path) -> bool:
    """Whether a CANN root is a software NPU of opweld (of any build of it)."""
    return (path / "opweld.json").is_file()


def has_device_node() -> bool:
    """Whether the kernel driver of an Ascend NPU shows a device."""
    pattern = Path(DEVICE_NODES)
    return any(pattern.parent.glob(pattern.name))
