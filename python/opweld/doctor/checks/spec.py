"""Operator specs: what `opweld check` says, and dtypes that the SoC does not have (OW715)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

from opweld import _core
from opweld.doctor.findings import Finding, Place
from opweld.doctor.rules import Rule, Severity
from opweld.doctor.sources.text import SourceText

_GROUP = "Operator spec"
# Where a dtype appeared: before these SoCs, no operator takes it.
_SINCE_910B = {"bfloat16", "bf16"}
_SINCE_950 = {
    "float8_e4m3fn", "float8_e5m2", "hifloat8", "float4_e2m1fn_x2", "float8_e8m0fnu", "float8_e4m3fnuz",
}  # fmt: skip
_BEFORE_910B = re.compile(r"Ascend(310(P\w*|B\w*)?|910(A\w*|ProA\w*|ProB|PremiumA)?)$")
_TYPES = re.compile(r"\btype:\s*(?:any_of\()?\[?([^\]})\n]*)")


def check(paths: list[tuple[Path, str]], texts: dict[str, SourceText], soc: str) -> list[Finding]:
    """The faults of specs, given as path and name for reports."""
    findings: list[Finding] = []
    for path, name in paths:
        result = _core.check([str(path)], "json", False)
        for item in json.loads(result.report)["diagnostics"]:
            if item["rule"] in ("OW407", "OW409"):  # what is left open on purpose
                continue
            findings.append(_finding(item, name))
        findings += _dtypes(texts[name], soc)
    return findings


def _finding(item: dict[str, str], name: str) -> Finding:
    rule = spec_rule(item["rule"], item["name"], cast(Severity, item["severity"]), item["cause"], item["fix"])
    place = Place(name, int(item["line"]), int(item["column"]))
    message = item["message"] + (f"; expected {item['expected']}" if item["expected"] else "")
    return Finding(item["rule"], place, message, fix=item["hint"], spec_rule=rule)


@cache
def spec_rule(rule_id: str, name: str, severity: Severity, cause: str, fix: str) -> Rule:
    """A rule of `opweld check` in the doctor's form."""
    return Rule(rule_id, name, severity, _GROUP, "", cause, fix)


def _dtypes(source: SourceText, soc: str) -> Iterator[Finding]:
    missing: set[str] = set()
    if _BEFORE_910B.match(soc):
        missing = _SINCE_910B | _SINCE_950
    elif "950" not in soc:
        missing = _SINCE_950
    if not missing:
        return
    offset = 0
    for line in source.content.decode("utf-8", "replace").splitlines(keepends=True):
        bare = line.split("#")[0]
        for match in _TYPES.finditer(bare):
            for word in re.finditer(r"\w+", match[1]):
                if word.group() in missing:
                    start = offset + len(bare[: match.start(1) + word.start()].encode())
                    yield Finding(
                        "OW715",
                        source.place(start, start + len(word.group())),
                        f"{soc} has no {word.group()}",
                        fix=f"Remove {word.group()} for this SoC, or examine for another one with --soc.",
                    )
        offset += len(line.encode())


def spec_operators(path: Path) -> list[tuple[str, str]]:
    """Namespace and name of the operators of a spec; none where it cannot be read."""
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError):
        return []
    operators = content.get("ops") if isinstance(content, dict) else None
    found = []
    for item in operators if isinstance(operators, list) else []:
        name = str(item.get("op", "")) if isinstance(item, dict) else ""
        namespace, _, bare = name.rpartition("::")
        found.append((namespace or "npu", bare))
    return found
