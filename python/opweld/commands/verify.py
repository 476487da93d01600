"""`opweld verify`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from opweld import _core
from opweld.commands.gen import require_target
from opweld.errors import OpweldError, UsageError
from opweld.verify.model import Report
from opweld.verify.names import CHECK_NAMES
from opweld.verify.run import Options, Progress, Run
from opweld.verify.target import SpecFaults, device_of, resolve

DTYPES = [
    "float32",
    "float16",
    "bfloat16",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "complex64",
    "complex128",
]


def verify(
    target: str,
    operators: Sequence[str],
    options: Options,
    *,
    modules: Sequence[str] = (),
    soc: str | None = None,
    html: Path | None = None,
    junit: Path | None = None,
    json: Path | None = None,
    sarif: Path | None = None,
    markdown: Path | None = None,
) -> int:
    """Examines `target` and writes the reports that were asked for; returns the exit code, 0 or 1."""
    _require_sensible(options)
    reports = {"html": html, "junit": junit, "json": json, "sarif": sarif, "markdown": markdown}
    for path in reports.values():
        if path is not None:
            require_target(path, "the report")
    try:
        found = resolve(target, list(operators), list(modules))
    except SpecFaults as faults:
        if sarif is not None:  # the faults of the source, with their places
            sarif.write_text(_core.check([str(faults.spec)], "sarif", False).report, encoding="utf-8")
        raise
    device = device_of("software" if soc else None, soc)
    console = Console(soft_wrap=False, width=None if os.isatty(1) else 160)
    from opweld.verify.report import terminal

    with terminal.progress(console) as progress:
        report = Run(found, device, options, progress or Progress()).report()
    terminal.show(report, console)
    _write(report, reports)
    for kind, path in reports.items():
        if path is not None:
            console.print(f"{kind} report: {path}", highlight=False, markup=False, soft_wrap=True)
    if not report.failures and not report.count("passed"):
        told = next((outcome.detail for outcome in report.outcomes if outcome.detail), "there is no sample")
        raise OpweldError(f"nothing was examined: {told}")
    return 1 if report.failures else 0


def _require_sensible(options: Options) -> None:
    known = CHECK_NAMES
    for check in options.checks:
        if check not in known:
            raise UsageError(f"check {check!r} does not exist; there are {', '.join(known)}")
    for dtype in options.dtypes:
        if dtype not in DTYPES:
            raise UsageError(f"dtype {dtype!r} does not exist; there are {', '.join(DTYPES)}")
    if options.device not in (None, "npu", "cpu"):
        raise UsageError(f"device {options.device!r} does not exist; there are npu and cpu")
    if options.jobs < 1:
        raise UsageError(f"--jobs is {options.jobs}; it must be at least 1")
    if options.budget is not None and options.budget <= 0:
        raise UsageError(f"--budget is {options.budget:g} s; it must be more than 0")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}; it must not be negative")
    if options.samples is not None and not options.samples.is_file():
        raise UsageError(f"the file of samples {options.samples} does not exist")


def _write(report: Report, reports: dict[str, Path | None]) -> None:
    import opweld
    from opweld.verify.report import data
    from opweld.verify.report.junit import junit
    from opweld.verify.report.markdown import markdown
    from opweld.verify.report.page import page

    writers = {
        "html": lambda: page(report),
        "junit": lambda: junit(report),
        "json": lambda: data.to_json(report),
        "sarif": lambda: data.sarif(report, opweld.__version__),
        "markdown": lambda: markdown(report),
    }
    for kind, path in reports.items():
        if path is not None:
            path.write_text(writers[kind](), encoding="utf-8")
