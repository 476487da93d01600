"""`opweld info`."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import opweld
from opweld import vendor
from opweld.environment import Device, choose_device
from opweld.errors import OpweldError

PACKAGES = ("torch", "torch-npu", "numpy")


def collect() -> dict[str, Any]:
    """All that `opweld info` tells, as plain values."""
    problem = ""
    device: Device | None = None
    try:
        device = choose_device()
    except OpweldError as error:
        problem = str(error)
    return {
        "versions": {
            "opweld": opweld.__version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in PACKAGES},
        },
        "device": {
            "kind": None if device is None else ("software" if device.software else "real"),
            "soc": device.soc if device and device.software else None,
            "count": device.devices if device else None,
            "cann": str(device.home) if device else None,
            "problem": problem,
        },
        "operator_packages": [
            {
                "name": package.distribution,
                "version": package.version,
                "vendor_folder": str(package.folder) if package.folder else None,
                "problem": package.problem,
            }
            for package in vendor.installed()
        ],
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def info(table_format: str) -> None:
    """Prints what `collect` finds."""
    found = collect()
    if table_format == "json":
        print(json.dumps(found, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in found["versions"].items():
        table.add_row(name, value or "not installed")
    device = found["device"]
    if device["problem"]:
        table.add_row("device", f"none: {device['problem']}")
    else:
        what = f"{device['count']} x {device['soc']}" if device["kind"] == "software" else "real NPU"
        table.add_row("device", f"{what} ({device['kind']})")
        table.add_row("CANN", device["cann"])
    packages = found["operator_packages"]
    if not packages:
        table.add_row("operator packages", "none installed")
    for package in packages:
        place = package["vendor_folder"] or f"broken: {package['problem']}"
        table.add_row("operator package", f"{package['name']} {package['version']}: {place}")
    width = None if os.isatty(1) else 1000  # a path in a file or a pipe stays in one line
    Console(highlight=False, soft_wrap=True, width=width).print(table)
