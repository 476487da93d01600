"""The recorded outcomes, and how a run differs from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.outcome import FAILED, GOOD, OUTCOMES, FileResult
from conformance.suite import UsageError

# file -> test -> outcome; the test "" is the file itself.
Expected = dict[str, dict[str, str]]
_HEAD = "file\ttest\toutcome\n"


def read_expected(path: Path) -> Expected:
    """Reads a list; none recorded yet is an empty one."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if not lines or lines[0] != _HEAD:
        raise UsageError(f"{path}: its first line must be 'file, test, outcome' with tabs")
    expected: Expected = {}
    for number, line in enumerate(lines[1:], start=2):
        fields = line.rstrip("\n").split("\t")
        if len(fields) != 3 or fields[2] not in OUTCOMES:
            raise UsageError(f"{path}:{number}: expected file, test and one of {', '.join(OUTCOMES)}")
        expected.setdefault(fields[0], {})[fields[1]] = fields[2]
    return expected


def write_expected(path: Path, expected: Expected) -> None:
    """Writes a list, sorted."""
    rows = (
        f"{file}\t{test}\t{outcome}\n"
        for file, tests in sorted(expected.items())
        for test, outcome in sorted(tests.items())
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_HEAD + "".join(rows), encoding="utf-8")


def outcomes(result: FileResult) -> dict[str, str]:
    """A result as it is recorded."""
    return {"": result.outcome} | result.tests


def recorded(expected: Expected, results: Iterable[FileResult], everything: bool) -> Expected:
    """The list after this run; files that did not run keep their rows unless everything ran."""
    kept = {} if everything else dict(expected)
    return kept | {result.file: outcomes(result) for result in results}


@dataclass
class Comparison:
    """Differences, as "file" or "file: test"."""

    newly_passing: list[str] = field(default_factory=list)
    newly_failing: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)  # failing, and nothing is recorded about them
    vanished: list[str] = field(default_factory=list)  # passing tests that did not run


def worse(result: FileResult, expected: Mapping[str, str]) -> bool:
    """Whether something that is recorded as passing does not."""
    now = outcomes(result)
    return any(was in GOOD and now.get(test, FAILED) not in GOOD for test, was in expected.items())


def compare(expected: Expected, results: Iterable[FileResult]) -> Comparison:
    """Compares the files that ran."""
    difference = Comparison()
    for result in results:
        before, now = expected.get(result.file, {}), outcomes(result)
        for test in sorted(before.keys() | now.keys()):
            name = f"{result.file}: {test}" if test else result.file
            was, is_now = before.get(test), now.get(test)
            if is_now is None:
                if was in GOOD:
                    difference.vanished.append(name)
            elif was is None:
                if is_now not in GOOD:
                    difference.new.append(name)
            elif (was in GOOD) != (is_now in GOOD):
                (difference.newly_passing if is_now in GOOD else difference.newly_failing).append(name)
    return difference


def summary(expected: Expected) -> tuple[int, int, int, int]:
    """Files that pass wholly, files, tests that pass, tests."""
    files = [tests.get("", "") for tests in expected.values()]
    tests = [outcome for rows in expected.values() for test, outcome in rows.items() if test]
    return (
        sum(outcome in GOOD for outcome in files),
        len(files),
        sum(outcome in GOOD for outcome in tests),
        len(tests),
    )
