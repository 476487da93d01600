"""`opweld run` and `opweld env`."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import NoReturn

from opweld import home, log, vendor
from opweld.environment import STARTUP, choose_device, variables, with_own_python, without
from opweld.errors import UsageError


def run(command: list[str], devices: int | None, soc: str | None, *, software: bool, quiet: bool) -> NoReturn:
    """Replaces this process by `command`, on the NPU."""
    device = choose_device("software" if software else None, devices, soc)
    environ = os.environ | variables(device)
    environ |= with_startup(environ) | explaining(environ)
    environ["PATH"] = with_own_python(environ.get("PATH", os.defpath))
    program = shutil.which(command[0], path=environ["PATH"])
    if program is None:
        raise UsageError(f"command {command[0]!r} cannot be found or is not executable")
    report_broken_packages()
    if not quiet:
        print(f"opweld: {device.describe()}", file=sys.stderr, flush=True)
    log.logger("run").debug("%s with %s", shlex.join(command), variables(device))
    os.execve(program, command, environ)


def with_startup(environ: Mapping[str, str]) -> dict[str, str]:
    """What has each Python begin with startup/sitecustomize.py."""
    return {"PYTHONPATH": vendor.join_paths([str(STARTUP)], environ.get("PYTHONPATH", ""))}


def explaining(environ: Mapping[str, str]) -> dict[str, str]:
    """What has the Pythons of a run explain the errors that end them; nothing with OPWELD_EXPLAIN=0."""
    return {} if environ.get("OPWELD_EXPLAIN", "1") == "0" else {"OPWELD_EXPLAIN": "1"}


def shell_lines(devices: int | None, soc: str | None, *, software: bool, unset: bool) -> str:
    """The lines that a POSIX shell evaluates."""
    if unset:
        changes = without(home.software_home(), os.environ)
    else:
        report_broken_packages()
        device = choose_device("software" if software else None, devices, soc)
        changes = dict(variables(device) | (with_startup(os.environ) if device.software else {}))
    return "\n".join(
        f"unset {name}" if value is None else f"export {name}={shlex.quote(value)}"
        for name, value in changes.items()
    )


def report_broken_packages() -> None:
    """Says on stderr which installed operator packages have lost their vendor folder."""
    for package in vendor.installed():
        if package.problem:
            print(
                f"opweld: warning: operator package {package.distribution} is left out: {package.problem}; "
                "build and install it again",
                file=sys.stderr,
            )
