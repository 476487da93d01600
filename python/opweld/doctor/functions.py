"""The aclnn functions that a process would find: in vendor packages, then in CANN's own library."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from opweld import vendor
from opweld.abi.elf import read_library
from opweld.abi.software import MANIFEST
from opweld.aclnn import BUILT_IN_LIBRARY
from opweld.environment import choose_device
from opweld.errors import FaultsFound, OpweldError

_WORKSPACE = "GetWorkspaceSize"


@dataclass
class Functions:
    """What is exported where.

    `libraries` are the exported symbols by library, in the order of the search; `elsewhere` names the vendor
    folders of functions that exist but are not on the path; `absent` are those that CANN has and the software
    NPU leaves out. `known` is false where there is no CANN to ask.
    """

    known: bool
    built_in: str
    libraries: dict[str, frozenset[str]] = field(default_factory=dict)
    elsewhere: dict[str, Path] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()

    def phases(self, function: str) -> int:
        """How many of the two phases the first library that has any of them has."""
        for exports in self.libraries.values():
            found = (function in exports) + (function + _WORKSPACE in exports)
            if found:
                return found
        return 0

    def where(self, function: str) -> str:
        """The first library that has a phase of it."""
        for name, exports in self.libraries.items():
            if function in exports or function + _WORKSPACE in exports:
                return name
        return ""

    def names(self) -> set[str]:
        """All functions that have both phases."""
        found: set[str] = set()
        for exports in self.libraries.values():
            found |= {name for name in exports if name.startswith("aclnn") and name + _WORKSPACE in exports}
        return found


def find_functions(
    folders: Iterable[Path], environ: Mapping[str, str] | None = None, *, installed: bool = True
) -> Functions:
    """What a process would find; `folders` are looked through for vendor packages off the path.

    Without `installed` those of installed operator packages are left out.
    """
    environ = os.environ if environ is None else environ
    try:
        device = choose_device(environ=environ)
    except OpweldError:
        return Functions(False, BUILT_IN_LIBRARY)
    library = device.home / "lib64" / BUILT_IN_LIBRARY
    if not library.is_file():
        return Functions(False, BUILT_IN_LIBRARY)
    whose = "the software NPU" if device.software else f"CANN at {device.home}"
    result = Functions(True, f"{BUILT_IN_LIBRARY} of {whose}", absent=_left_out(device.home))
    on_path = [Path(item) for item in environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep) if item]
    if installed:
        on_path += [package.folder for package in vendor.installed() if package.folder is not None]
    for folder in on_path:
        if (folder / vendor.LIBRARY).is_file():
            result.libraries[str(folder / vendor.LIBRARY)] = exported(folder / vendor.LIBRARY)
    result.libraries[result.built_in] = exported(library)
    known = {folder.resolve() for folder in on_path}
    for root in folders:
        for path in vendor_folders(root):
            if path.resolve() not in known:
                for name in exported(path / vendor.LIBRARY):
                    if name.startswith("aclnn") and not name.endswith(_WORKSPACE):
                        result.elsewhere.setdefault(name, path)
    return result


def _left_out(home: Path) -> frozenset[str]:
    """What the software NPU's manifest says it leaves out; nothing for a real CANN."""
    try:
        manifest = json.loads((home / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return frozenset(item["name"] for item in manifest.get("absent", []) if item["kind"] == "symbol")


def vendor_folders(root: Path) -> list[Path]:
    """The vendor packages in a folder: every folder with op_api/lib/libcust_opapi.so."""
    pattern = f"**/{vendor.LIBRARY.as_posix()}"
    return sorted(path.parents[2] for path in root.glob(pattern)) if root.is_dir() else []


def exported(library: Path) -> frozenset[str]:
    """The symbols that a library exports; none where it is damaged."""
    return _exported(str(library), library.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _exported(path: str, changed: int) -> frozenset[str]:
    try:
        return frozenset(read_library(Path(path).read_bytes(), path).exports)
    except FaultsFound:
        return frozenset()
