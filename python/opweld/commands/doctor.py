"""`opweld doctor`."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from opweld.doctor import fix, report, table
from opweld.doctor.findings import Finding, counts
from opweld.doctor.rules import find_rule, render_page
from opweld.doctor.target import Examination, Options, examine
from opweld.environment import DEFAULT_SOC
from opweld.errors import UsageError


@dataclass(frozen=True)
class Request:
    """The command line's options."""

    target: str | None
    report_format: str
    soc: str | None
    imports: tuple[str, ...]
    fix: bool
    load: bool
    graph: bool = False


def doctor(request: Request) -> int:
    """Examines, reports on stdout, mends where that was asked for; returns the exit code."""
    options = Options(
        _soc(request.soc or os.environ.get("OPWELD_SOC") or DEFAULT_SOC),
        request.imports,
        request.load,
        request.graph,
    )
    examination = examine(request.target, options)
    if request.fix:
        _mend(examination.findings)
        examination = examine(request.target, options)
    print(_rendered(examination, request.report_format), end="")
    return exit_code(examination.findings + table.findings_of(examination.rows))


def _soc(name: str) -> str:
    """Sources can be examined for SoCs that the software NPU is not. Raises UsageError for what is none."""
    if not re.fullmatch(r"Ascend\d{3}\w*", name):
        raise UsageError(f"there is no SoC {name!r}; write it as in Ascend910B1, Ascend310P3, Ascend950PR")
    return name


def exit_code(findings: list[Finding]) -> int:
    """1 where there is an error or a warning; notes alone leave 0."""
    number = counts(findings)
    return 1 if number["error"] or number["warning"] else 0


def _rendered(examination: Examination, report_format: str) -> str:
    if not examination.rows:
        return report.render(
            examination.findings, report_format, color=sys.stdout.isatty(), scope=examination.scope
        )
    findings = examination.findings + table.findings_of(examination.rows)
    if report_format == "text":
        told = report.as_text(examination.findings) if examination.findings else ""
        return told + table.as_text(examination.rows)
    if report_format == "json":
        return (
            json.dumps(
                {**report.as_json(findings, examination.scope), "operators": examination.rows}, indent=2
            )
            + "\n"
        )
    return report.render(findings, report_format)


def _mend(findings: list[Finding]) -> None:
    """Shows each change as a diff on stderr and makes it."""
    changes = fix.plan(findings)
    for change in changes:
        print(change.diff(), end="", file=sys.stderr)
        fix.write(change)
    files = f"{len(changes)} file{'' if len(changes) == 1 else 's'}"
    print(
        f"opweld: {files} changed; what is left:"
        if changes
        else "opweld: nothing can be mended mechanically",
        file=sys.stderr,
    )


def explain(rule_id: str) -> None:
    """Prints a rule's page. Raises UsageError where there is no such rule."""
    try:
        print(render_page(find_rule(rule_id.upper())), end="")
        return
    except KeyError:
        pass
    page = _spec_page(rule_id.upper())
    if page is None:
        raise UsageError(f"there is no rule {rule_id!r}; the ids look like OW701, and docs/rules lists them")
    print(page, end="")


def _spec_page(rule_id: str) -> str | None:
    """The page of a rule of `opweld check`, from its documentation."""
    folder = Path(__file__).parents[3] / "docs" / "rules"
    path = folder / f"{rule_id}.md"
    return path.read_text(encoding="utf-8") if rule_id.isalnum() and path.is_file() else None
