"""The environment: versions, CANN, search paths, modules, driver (OW909, OW951 to OW957)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path

from opweld import home, vendor
from opweld.doctor.findings import Finding, Place

# What torch_npu imports when it is imported; its wheel asks pip only for some of them.
NEEDED = {"numpy": "numpy", "yaml": "pyyaml", "packaging": "packaging", "google.protobuf": "protobuf"}
_DRIVER = "libascend_hal.so"
_DRIVER_FOLDERS = ("/usr/local/Ascend/driver/lib64", "/usr/local/Ascend/driver/lib64/driver", "/usr/lib64")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _has_module(name: str) -> bool:
    try:
        return util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


@dataclass
class Machine:
    """What is asked of the machine; a test gives other answers."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    version: Callable[[str], str | None] = _version
    has_module: Callable[[str], bool] = _has_module
    has_device: Callable[[], bool] = home.has_device_node
    has_driver: Callable[[], bool] = lambda: any((Path(item) / _DRIVER).is_file() for item in _DRIVER_FOLDERS)


def check(machine: Machine | None = None) -> list[Finding]:
    """All findings of these rules."""
    machine = machine or Machine()
    return [*_versions(machine), *_modules(machine), *_cann(machine), *_vendor_path(machine)]


def _place(subject: str) -> Place:
    return Place(f"<{subject}>")


def _versions(machine: Machine) -> Iterator[Finding]:
    torch, torch_npu = machine.version("torch"), machine.version("torch-npu")
    for name, version in (("torch", torch), ("torch-npu", torch_npu)):
        if version is None:
            yield Finding("OW956", _place("environment"), f"{name} is not installed in this Python")
    if torch is None or torch_npu is None:
        return
    wanted, got = torch_npu.split("+")[0], torch.split("+")[0]
    for suffix in (".post", ".rc", "rc", ".dev"):
        wanted = wanted.split(suffix)[0]
    if wanted != got:
        yield Finding(
            "OW951",
            _place("environment"),
            f"torch is {torch}, but torch_npu {torch_npu} is built for torch {wanted}",
            fix=f"pip install torch=={wanted} torch-npu=={torch_npu}",
        )


def _modules(machine: Machine) -> Iterator[Finding]:
    for module, distribution in NEEDED.items():
        if not machine.has_module(module):
            yield Finding(
                "OW954",
                _place("environment"),
                f"the Python module {module}, which torch_npu needs, is not installed",
                fix=f"pip install {distribution}",
            )


def _cann(machine: Machine) -> Iterator[Finding]:
    environ = machine.environ
    named = environ.get("ASCEND_HOME_PATH")
    if not named:
        return  # opweld run chooses
    root = Path(named)
    lacking = [part for part in ("lib64", "runtime", "compiler") if not (root / part).is_dir()]
    if lacking:
        yield Finding(
            "OW957",
            _place("ASCEND_HOME_PATH"),
            f"{named} is no CANN: it has no {', '.join(lacking)}"
            if root.is_dir()
            else f"{named} does not exist",
        )
        return
    entries = [Path(entry) for entry in environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    homes = {entry.resolve().parent for entry in entries if (entry / home.RUNTIME_LIBRARY).is_file()}
    others = sorted(str(item) for item in homes - {root.resolve()})
    opp = environ.get("ASCEND_OPP_PATH")
    if others:
        yield Finding(
            "OW952",
            _place("LD_LIBRARY_PATH"),
            f"ASCEND_HOME_PATH is {named}, but the loader's path has the libraries of {', '.join(others)}, "
            "too",
        )
    elif not homes:
        yield Finding(
            "OW953",
            _place("LD_LIBRARY_PATH"),
            f"{root / 'lib64'} is not on the loader's path",
            fix=f"source {root / 'set_env.sh'}, or use opweld run.",
        )
    elif opp and Path(opp).resolve().parent != root.resolve():
        yield Finding(
            "OW952",
            _place("ASCEND_OPP_PATH"),
            f"ASCEND_HOME_PATH is {named}, but ASCEND_OPP_PATH leads to {opp}",
        )
    if not home.is_software_home(root):
        if not machine.has_device():
            yield Finding(
                "OW955", _place("driver"), f"CANN at {named} is used, but there is no /dev/davinci0"
            )
        elif not machine.has_driver():
            yield Finding("OW955", _place("driver"), f"there is /dev/davinci0, but no {_DRIVER}")


def _vendor_path(machine: Machine) -> Iterator[Finding]:
    for entry in machine.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep):
        if not entry or (Path(entry) / vendor.LIBRARY).is_file():
            continue
        below = [path for path in sorted(Path(entry).glob("*")) if (path / vendor.LIBRARY).is_file()]
        below += [path for path in sorted(Path(entry).glob("vendors/*")) if (path / vendor.LIBRARY).is_file()]
        told = f"has no {vendor.LIBRARY}" if Path(entry).is_dir() else "does not exist"
        yield Finding(
            "OW909",
            _place("ASCEND_CUSTOM_OPP_PATH"),
            f"{entry} {told}",
            fix=f"Write {below[0]}." if below else "",
        )
