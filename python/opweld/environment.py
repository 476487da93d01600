"""The environment in which programs meet an NPU: which device, and the variables that lead them to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opweld import home, vendor
from opweld.errors import OpweldError, UsageError

SOCS = ("Ascend910B1", "Ascend950PR")  # npu/soc/soc.cpp
DEFAULT_SOC = "Ascend910B1"
MAX_DEVICES = 64
TARGETS = ("auto", "software", "npu")
STARTUP = Path(__file__).parent / "startup"  # holds the sitecustomize of Pythons on the software NPU

# Threads of libgomp that wait for each other, as between two loops of a kernel, sleep at once where the
# process has more of them than CPUs: and Python, autograd and torch_npu's queue have a team each. A wake-up
# takes longer than most loops. "active" lets them look before they sleep, by the count: about half a
# millisecond, a tenth of what libgomp takes where there are not more threads than CPUs, for Python wants one.
TEAM_WAITS = {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "30000"}


@dataclass(frozen=True)
class Device:
    """The NPU that programs will run on."""

    software: bool
    home: Path
    soc: str
    devices: int | None

    def describe(self) -> str:
        """One line for people."""
        if not self.software:
            return f"real NPU, CANN at {self.home}"
        return f"software NPU, {self.devices} x {self.soc}"


def choose_device(
    target: str | None = None,
    devices: int | None = None,
    soc: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Device:
    """The device to use: the real one where there is one, unless `target` or `OPWELD_TARGET` says otherwise.

    `devices` and `soc` fall back to `OPWELD_DEVICES` and `OPWELD_SOC`, then to one Ascend910B1; naming one of
    them in the call means the software NPU. Raises UsageError or OpweldError.
    """
    environ = os.environ if environ is None else environ
    wanted = target or environ.get("OPWELD_TARGET") or "auto"
    if wanted not in TARGETS:
        raise UsageError(f"target {wanted!r} does not exist; it is one of {', '.join(TARGETS)}")
    chosen_soc = known_soc(soc or environ.get("OPWELD_SOC") or DEFAULT_SOC)
    count = _device_count(devices, environ)
    asked_software = devices is not None or soc is not None
    real = home.find_real_home(environ) if wanted != "software" else None
    if wanted == "npu":
        if real is None:
            raise OpweldError(
                "no real NPU here: ASCEND_HOME_PATH must lead to a CANN installation and /dev/davinci0 must "
                "exist; use the software NPU (OPWELD_TARGET=software)"
            )
        if asked_software:
            raise UsageError("the number of devices and the SoC can be chosen for the software NPU only")
    if real is not None and not asked_software:
        return Device(software=False, home=real, soc="", devices=None)
    return Device(software=True, home=home.software_home(environ), soc=chosen_soc, devices=count)


def known_soc(name: str) -> str:
    """The name as it is. Raises UsageError where the software NPU is no such SoC."""
    if name not in SOCS:
        raise UsageError(f"the software NPU has no SoC {name!r}; it can be {' or '.join(SOCS)}")
    return name


def _device_count(devices: int | None, environ: Mapping[str, str]) -> int:
    text = environ.get("OPWELD_DEVICES", "1") if devices is None else str(devices)
    try:
        count = int(text)
    except ValueError:
        count = 0
    if not 1 <= count <= MAX_DEVICES:
        raise UsageError(f"number of devices is {text!r}; it must be between 1 and {MAX_DEVICES}")
    return count


def variables(device: Device, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables to set for `device`, complete values. Applying them twice changes nothing more."""
    environ = os.environ if environ is None else environ
    result = {
        "ASCEND_CUSTOM_OPP_PATH": vendor.custom_opp_path(
            environ.get("ASCEND_CUSTOM_OPP_PATH", ""), vendor.installed()
        )
    }
    if device.software:
        root = device.home
        result |= {
            "ASCEND_HOME_PATH": str(root),
            "ASCEND_OPP_PATH": str(root / "opp"),
            "LD_LIBRARY_PATH": vendor.join_paths([str(root / "lib64")], environ.get("LD_LIBRARY_PATH", "")),
            "PATH": vendor.join_paths([str(root / "bin")], environ.get("PATH", os.defpath)),
            "OPWELD_DEVICES": str(device.devices),
            "OPWELD_SOC": device.soc,
            "OPWELD_TARGET": "software",
        }
        if not any(name in environ and environ[name] != value for name, value in TEAM_WAITS.items()):
            result |= TEAM_WAITS
    return {name: value for name, value in result.items() if value}


def with_own_python(path: str) -> str:
    """The search path `path` with this Python's folder first, so that `python` means this environment's."""
    return vendor.join_paths([str(Path(sys.executable).parent)], path)


def without(device_home: Path, environ: Mapping[str, str]) -> dict[str, str | None]:
    """What undoes `variables`: the value to set for each variable, or None to unset it."""
    folders = {str(package.folder) for package in vendor.installed()}
    result: dict[str, str | None] = dict.fromkeys(
        ["ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "OPWELD_DEVICES", "OPWELD_SOC", "OPWELD_TARGET"]
    )
    result |= {name: None for name, ours in TEAM_WAITS.items() if environ.get(name) == ours}
    for name, ours in (
        ("ASCEND_CUSTOM_OPP_PATH", folders),
        ("LD_LIBRARY_PATH", {str(device_home / "lib64")}),
        ("PATH", {str(device_home / "bin")}),
        ("PYTHONPATH", {str(STARTUP)}),
    ):
        kept = [entry for entry in environ.get(name, "").split(os.pathsep) if entry and entry not in ours]
        result[name] = os.pathsep.join(kept) or None
    return result
