"""Markdown: a line for each operator, for documentation and comments on changes."""

from __future__ import annotations

from opweld.verify.model import OperatorInfo, Outcome, Report
from opweld.verify.report.summary import sentence


def markdown(report: Report) -> str:
    """A table of the operators that ran, then those that could not, with the reason."""
    ran: list[str] = []
    idle: dict[str, list[str]] = {}
    for info in report.operators:
        own = [outcome for outcome in report.outcomes if outcome.operator == info.name]
        if any(outcome.status != "skipped" for outcome in own):
            ran.append(_line(info, own))
        else:
            idle.setdefault(_reason(own), []).append(f"`{info.name}`")
    lines = [f"{sentence(report)}; {report.device}", ""]
    lines += ["| operator | passed | failed | finding |", "| --- | --: | --: | --- |", *ran]
    if idle:
        lines += ["", "Not run:", ""]
        lines += [f"- {_cell(reason)}: {', '.join(names)}" for reason, names in idle.items()]
    return "\n".join(lines) + "\n"


def _line(info: OperatorInfo, own: list[Outcome]) -> str:
    findings: dict[str, str] = {}
    for outcome in own:
        if outcome.status == "failed":
            place = f"{outcome.dtype}, {outcome.label}" if outcome.dtype else ""
            findings.setdefault(outcome.check, f"**{outcome.check}** ({place}): {outcome.detail}")
    passed = sum(outcome.status == "passed" for outcome in own)
    failed = sum(outcome.status == "failed" for outcome in own)
    cautions = list(dict.fromkeys(f"{o.check}: {o.caution}" for o in own if o.caution))
    told = [*findings.values(), *cautions]
    only_nan = sum(outcome.kind == "nan" for outcome in own)
    told += [f"{only_nan} samples had only NaN"] if only_nan else []
    text = "; ".join(_cell(finding) for finding in told) or "right"
    return f"| `{info.name}` | {passed} | {failed} | {text} |"


def _reason(own: list[Outcome]) -> str:
    """Why nothing ran: what `result` says is the shortest."""
    told = [outcome.detail for outcome in own if outcome.check == "result" and outcome.detail]
    return told[0] if told else "nothing to run"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:240]
