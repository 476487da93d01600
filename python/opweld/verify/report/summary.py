"""The figures that all reports show."""

from __future__ import annotations

from dataclasses import dataclass

from opweld.verify.model import Outcome, Report


@dataclass
class Row:
    """All outcomes of one check of one operator."""

    operator: str
    check: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    error: float | None = None
    first: Outcome | None = None
    skip: str = ""
    caution: str = ""
    only_nan: int = 0

    @property
    def status(self) -> str:
        """`failed`, `passed`, `weak` (passed, but that is no proof) or `skipped`."""
        if self.failed:
            return "failed"
        if self.passed:
            return "weak" if self.caution else "passed"
        return "skipped"

    @property
    def note(self) -> str:
        """The first fault, or what the check does not prove, or why it did not run."""
        told = self.first.detail if self.first else self.caution
        if self.only_nan:
            samples = "1 sample" if self.only_nan == 1 else f"{self.only_nan} samples"
            return "; ".join(filter(None, [told, f"{samples} had only NaN, which proves nothing"]))
        return told or (self.skip if not self.passed else "")


def rows(report: Report) -> list[Row]:
    """One row for each operator and check, in the order in which they ran."""
    found: dict[tuple[str, str], Row] = {}
    for outcome in report.outcomes:
        row = found.setdefault((outcome.operator, outcome.check), Row(outcome.operator, outcome.check))
        row.seconds += outcome.seconds
        if outcome.status == "failed":
            row.failed += 1
            row.first = row.first or outcome
        elif outcome.status == "passed":
            row.passed += 1
        else:
            row.skipped += 1
            row.only_nan += outcome.kind == "nan"
        if outcome.error is not None:
            row.error = max(row.error or 0.0, outcome.error)
        row.skip = row.skip or outcome.detail
        row.caution = row.caution or outcome.caution
    return list(found.values())


def faults(report: Report) -> list[Outcome]:
    """The first fault of each operator, check and device: those that were shrunk."""
    found: dict[tuple[str, str, str], Outcome] = {}
    for outcome in report.failures:
        found.setdefault((outcome.operator, outcome.check, outcome.device), outcome)
    return list(found.values())


def sentence(report: Report) -> str:
    """The last line of a run."""
    failed = report.count("failed")
    kinds = len(faults(report))
    text = f"{len(report.operators)} operators, {report.count('passed')} passed"
    if len(report.operators) == 1:
        text = text.replace("operators", "operator", 1)
    text += f", {report.count('skipped')} skipped, {failed} failed"
    if failed:
        text += f" ({kinds} different fault{'s' if kinds > 1 else ''})"
    if report.not_run:
        text += f", {report.not_run} not run: the budget was used up"
    return f"{text}; seed {report.seed}, {report.seconds:.1f} s"
