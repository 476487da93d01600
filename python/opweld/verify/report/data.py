"""JSON, and SARIF with the faults at the operators' places in the spec."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from opweld.verify.model import Report
from opweld.verify.report.summary import Row, faults, rows

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(report: Report) -> str:
    """The whole report."""
    return json.dumps(asdict(report), indent=1) + "\n"


def sarif(report: Report, version: str) -> str:
    """Each different fault as a result, what is not proved as a note; `version` is opweld's."""
    noted = {row.check for row in rows(report) if row.caution or row.only_nan}
    checks = sorted({fault.check for fault in faults(report)} | noted)
    rules = [
        {"id": f"verify/{check}", "shortDescription": {"text": f"opweld verify: {check}"}} for check in checks
    ]
    driver: dict[str, Any] = {"name": "opweld verify", "version": version, "rules": rules}
    results = [_result(report, fault) for fault in faults(report)]
    results += [_note(report, row) for row in rows(report) if row.caution or row.only_nan]
    run = {"tool": {"driver": driver}, "results": results}
    document = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1) + "\n"


def _result(report: Report, fault: Any) -> dict[str, Any]:
    text = f"{fault.operator}: {fault.detail} ({fault.device}, {fault.dtype}, {fault.label})"
    info = next(info for info in report.operators if info.name == fault.operator)
    line = 0
    if fault.kind == "reference":
        line = info.reference_line
    elif fault.kind == "form" and (told := re.search(r"\(line (\d+)\)", fault.detail)):
        line = int(told[1])
    return _at(report, fault.operator, fault.check, "error", text, line=line)


def _note(report: Report, row: Row) -> dict[str, Any]:
    return _at(report, row.operator, row.check, "note", f"{row.operator}: {row.note}")


def _at(report: Report, operator: str, check: str, level: str, text: str, *, line: int = 0) -> dict[str, Any]:
    """A result at the operator's place in the spec, or at `line` of it."""
    info = next(info for info in report.operators if info.name == operator)
    result: dict[str, Any] = {"ruleId": f"verify/{check}", "level": level, "message": {"text": text}}
    if info.source and info.line:
        region = {"startLine": info.line, "startColumn": max(1, info.column)}
        if line:
            region = {"startLine": line, "startColumn": 1}
        place = {"artifactLocation": {"uri": Path(info.source).as_uri()}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    return result
