"""What became of one file: its own outcome, and that of each test that could be told from its output."""

from __future__ import annotations

from dataclasses import dataclass, field

# Of a test. "hung" and "crashed" are the test that ran when its process was killed or died.
PASSED, FAILED, SKIPPED, HUNG, CRASHED = "passed", "failed", "skipped", "hung", "crashed"
OUTCOMES = (PASSED, FAILED, SKIPPED, HUNG, CRASHED)
GOOD = (PASSED, SKIPPED)


@dataclass(frozen=True)
class Ended:
    """How the process of a file ended."""

    output: str
    status: int | None  # exit code, negative: a signal; None: killed at the time limit
    seconds: float
    junit: str = ""  # the JUnit file's text


@dataclass
class FileResult:
    """One file."""

    file: str
    outcome: str
    tests: dict[str, str] = field(default_factory=dict)  # name -> outcome
    missing: list[str] = field(default_factory=list)  # aclnn functions that are not implemented
    reasons: list[str] = field(default_factory=list)  # the errors' last lines
    seconds: float = 0.0
    again: bool = False  # this is the result of a second run, the first one was worse than expected

    @property
    def good(self) -> bool:
        """Whether the file passes wholly."""
        return self.outcome in GOOD


def judge(ended: Ended, tests: dict[str, str]) -> str:
    """The outcome of the file."""
    if ended.status is None:
        return HUNG
    if ended.status < 0 or ended.status in (134, 139):
        return CRASHED
    if ended.status != 0 or any(outcome not in GOOD for outcome in tests.values()):
        return FAILED
    return SKIPPED if tests and all(outcome == SKIPPED for outcome in tests.values()) else PASSED
