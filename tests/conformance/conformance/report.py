"""The report of a run: as a table on the terminal, as JSON and as one HTML page."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from conformance.expected import Comparison
from conformance.outcome import GOOD, FileResult
from conformance.reasons import by_frequency

_SHOWN = 30


@dataclass
class Report:
    """What one suite gave."""

    suite: str
    total: int  # files of the suite
    seed: int | None  # of the sample; None: all files ran
    results: list[FileResult]
    comparison: Comparison
    seconds: float
    recorded: tuple[int, int, int, int] = field(default=(0, 0, 0, 0))  # as expected.summary gives it

    @property
    def files_passing(self) -> int:
        """Files that pass wholly."""
        return sum(result.good for result in self.results)

    @property
    def tests(self) -> Counter[str]:
        """Tests by outcome."""
        return Counter(outcome for result in self.results for outcome in result.tests.values())

    @property
    def headline(self) -> str:
        """One line."""
        tests = self.tests
        ran = f"{self.files_passing} of {len(self.results)} files pass wholly"
        if len(self.results) != self.total:
            ran += f" ({self.total} in the suite, sample of seed {self.seed})"
        good = sum(tests[outcome] for outcome in GOOD)
        return f"{self.suite}: {ran}, {good} of {sum(tests.values())} tests, {self.seconds:.0f} s"

    def missing(self) -> list[tuple[str, int, int]]:
        """Missing functions: name, files, files that miss no other."""
        return by_frequency(self.results)

    def reasons(self) -> list[tuple[str, int]]:
        """Errors of files that miss no function: these are faults of what is implemented."""
        counted = Counter(
            reason for result in self.results if not result.missing for reason in set(result.reasons)
        )
        return sorted(counted.items(), key=lambda row: (-row[1], row[0]))


def to_json(reports: list[Report]) -> str:
    """All reports as one JSON document."""
    return json.dumps({"suites": [_plain(report) for report in reports]}, indent=1)


def _plain(report: Report) -> dict[str, Any]:
    return {
        "suite": report.suite,
        "files": len(report.results),
        "files_in_suite": report.total,
        "files_passing": report.files_passing,
        "tests": dict(sorted(report.tests.items())),
        "seconds": round(report.seconds, 1),
        "seed": report.seed,
        **asdict(report.comparison),
        "missing": [
            {"function": name, "files": files, "files_missing_only_it": alone}
            for name, files, alone in report.missing()
        ],
        "reasons": [{"error": reason, "files": files} for reason, files in report.reasons()],
        "results": [asdict(result) for result in sorted(report.results, key=lambda r: r.file)],
    }


def show(report: Report, console: Console) -> None:
    """Writes a report to the terminal."""
    console.print(report.headline, style="bold", highlight=False)
    if report.recorded[1]:
        console.print(f"  recorded: {recorded_line(report.recorded)}", highlight=False)
    comparison = report.comparison
    for title, names in (
        ("newly passing", comparison.newly_passing),
        ("newly failing", comparison.newly_failing),
        ("failing, not recorded", comparison.new),
        ("passing before, did not run", comparison.vanished),
    ):
        _list(console, title, names)
    if missing := report.missing():
        table = Table("missing function", "files", "only it", title_justify="left", box=None)
        for name, files, alone in missing[:_SHOWN]:
            table.add_row(name, str(files), str(alone))
        console.print(table)
        if len(missing) > _SHOWN:
            console.print(f"  and {len(missing) - _SHOWN} more (see --json or --html)")


def _list(console: Console, title: str, names: list[str]) -> None:
    if names:
        console.print(f"  {title}: {len(names)}", highlight=False)
        for name in names[:_SHOWN]:
            console.print(f"    {name}", highlight=False, markup=False)
        if len(names) > _SHOWN:
            console.print(f"    and {len(names) - _SHOWN} more")


def recorded_line(summary: tuple[int, int, int, int]) -> str:
    """A recorded result in words."""
    files_good, files, tests_good, tests = summary
    return f"{files_good} of {files} files pass wholly, {tests_good} of {tests} tests"
