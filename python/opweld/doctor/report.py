"""Reports of findings: for people, as JSON, and as SARIF for editors and code hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opweld.doctor.findings import Finding, Place, counts
from opweld.doctor.rules import Rule, render_page
from opweld.doctor.scope import Scope

_LEVELS = {"error": "error", "warning": "warning", "note": "note"}
_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;35m", "note": "\x1b[1;36m"}


def render(
    findings: list[Finding], report_format: str, *, color: bool = False, scope: Scope | None = None
) -> str:
    """All findings in the wanted form: text, json or sarif; `scope` says what was examined."""
    if report_format == "json":
        return json.dumps(as_json(findings, scope), indent=2) + "\n"
    if report_format == "sarif":
        return json.dumps(as_sarif(findings), indent=2) + "\n"
    return as_text(findings, color=color, scope=scope)


def as_text(findings: list[Finding], *, color: bool = False, scope: Scope | None = None) -> str:
    """For people and for editors that parse `file:line:col: error[OW701]: ...`."""
    lines: list[str] = []
    for item in findings:
        head = f"{item.severity}[{item.rule_id}]"
        if color:
            head = f"{_COLORS[item.severity]}{head}\x1b[0m"
        lines.append(f"{item.place}: {head}: {item.message}")
        lines += _source_lines(item.place)
        lines += [f"  {place}: {what}" for place, what in item.related]
        lines.append(f"  cause: {item.reason}")
        lines.append(f"  fix: {item.advice}" + (" (--fix does it)" if item.edits else ""))
    lines += [f"note: {note}" for note in scope.notes] if scope else []
    lines.append(summary(findings, scope))
    return "\n".join(lines) + "\n"


def summary(findings: list[Finding], scope: Scope | None = None) -> str:
    """One line: how many of what; where there is nothing to report, what was examined."""
    if not findings:
        return f"no findings in {scope}" if scope else "no findings"
    told = [
        f"{number} {name}{'' if number == 1 else 's'}" for name, number in counts(findings).items() if number
    ]
    return ", ".join(told)


def _source_lines(place: Place) -> list[str]:
    if not place.line:
        return []
    try:
        lines = Path(place.subject).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    if place.line > len(lines):
        return []
    line = lines[place.line - 1]
    width = 1
    marked = line.encode()
    before = len(line[: place.column - 1].encode())
    if place.end > place.start:
        piece = marked[before : before + place.end - place.start].decode("utf-8", "replace")
        width = max(1, len(piece))
    indent = "".join("\t" if character == "\t" else " " for character in line[: place.column - 1])
    return [f"{place.line:6} | {line}", f"       | {indent}^{'~' * (width - 1)}"]


def as_json(findings: list[Finding], scope: Scope | None = None) -> dict[str, Any]:
    """The findings as plain values."""
    return {
        "version": 1,
        **({"examined": scope.as_json()} if scope else {}),
        "findings": [
            {
                "rule": item.rule_id,
                "name": item.rule.name,
                "severity": item.severity,
                "place": str(item.place),
                "file": item.place.subject if item.place.line else None,
                "line": item.place.line or None,
                "column": item.place.column or None,
                "message": item.message,
                "cause": item.reason,
                "fix": item.advice,
                "fixable": bool(item.edits),
                "related": [{"place": str(place), "message": what} for place, what in item.related],
            }
            for item in findings
        ],
        "summary": counts(findings),
    }


def as_sarif(findings: list[Finding]) -> dict[str, Any]:
    """SARIF 2.1.0."""
    import opweld

    rules = {item.rule_id: item.rule for item in findings}
    ids = list(rules)
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "opweld doctor",
                        "version": opweld.__version__,
                        "rules": [_sarif_rule(rule) for rule in rules.values()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_sarif_result(item, ids.index(item.rule_id)) for item in findings],
            }
        ],
    }


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.says or rule.name},
        "fullDescription": {"text": f"{rule.says} Usual cause: {rule.cause}".strip()},
        "help": {"text": rule.fix, "markdown": render_page(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _sarif_result(item: Finding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": item.rule_id,
        "ruleIndex": index,
        "level": _LEVELS[item.severity],
        "message": {"text": f"{item.message}. {item.advice}"},
        "locations": [_sarif_location(item.place)],
    }
    if item.related:
        result["relatedLocations"] = [
            {**_sarif_location(place), "message": {"text": what}} for place, what in item.related
        ]
    return result


def _sarif_location(place: Place) -> dict[str, Any]:
    if not place.line:
        return {"logicalLocations": [{"fullyQualifiedName": place.subject}]}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": place.subject.replace("\\", "/")},
            "region": {"startLine": place.line, "startColumn": place.column},
        }
    }
