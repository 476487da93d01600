"""JSON, and SARIF with the faults at the operators' places in the spec."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from opweld.verify.model import Report
from opweld.verify.report.summary import faults

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(report: Report) -> str:
    """The whole report."""
    return json.dumps(asdict(report), indent=1) + "\n"


def sarif(report: Report, version: str) -> str:
    """Each different fault as a result; `version` is opweld's."""
    checks = sorted({fault.check for fault in faults(report)})
    rules = [
        {"id": f"verify/{check}", "shortDescription": {"text": f"opweld verify: {check}"}} for check in checks
    ]
    driver: dict[str, Any] = {"name": "opweld verify", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(report, fault) for fault in faults(report)]}
    document = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1) + "\n"


def _result(report: Report, fault: Any) -> dict[str, Any]:
    info = next(info for info in report.operators if info.name == fault.operator)
    text = f"{fault.operator}: {fault.detail} ({fault.device}, {fault.dtype}, {fault.label})"
    result: dict[str, Any] = {
        "ruleId": f"verify/{fault.check}",
        "level": "error",
        "message": {"text": text},
    }
    if info.source and info.line:
        region = {"startLine": info.line, "startColumn": max(1, info.column)}
        place = {"artifactLocation": {"uri": Path(info.source).as_uri()}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    return result
