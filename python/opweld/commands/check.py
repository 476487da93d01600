"""`opweld check`."""

from __future__ import annotations

import sys
from pathlib import Path

from opweld import _core
from opweld.commands.build import find_spec
from opweld.commands.gen import require_file
from opweld.errors import UsageError


def check(specs: list[Path], report_format: str, strict: bool) -> int:
    """Reports the faults of all specs on stdout; returns the exit code."""
    if not specs:
        raise UsageError("no spec was named (see 'opweld check --help')")
    specs = [find_spec(spec) if spec.is_dir() else spec for spec in specs]
    for spec in specs:
        require_file(spec)
    result = _core.check([str(spec) for spec in specs], report_format, sys.stdout.isatty())
    print(result.report, end="" if result.report.endswith("\n") or not result.report else "\n")
    return 1 if result.errors or (strict and result.warnings) else 0


def print_json_schema() -> None:
    """Prints the JSON Schema of spec files."""
    print(_core.json_schema())
