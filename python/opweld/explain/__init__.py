"""Explains the error that ended a program: the NPU's last error, the operators that led there, cause, fix."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from opweld.doctor.findings import Finding
from opweld.explain.chain import Link, chain_of
from opweld.explain.failures import Failure, read_failures
from opweld.explain.findings import Evidence, find

__all__ = ["Explanation", "explain", "show"]

_UNEXPLAINED = (KeyboardInterrupt, SystemExit)
_ELSEWHERE = ("ChildFailedError", "ProcessExitedException")  # torch's launchers: the child has told why


@dataclass(frozen=True)
class Explanation:
    """What is known about a failure."""

    npu: Failure | None
    chain: tuple[Link, ...]
    late: bool  # the kernel failed before the program came to the line where the error showed
    finding: Finding | None

    def __str__(self) -> str:
        lines = ["opweld: why it failed"]
        if self.npu is not None:
            lines.append(f"  NPU: {self.npu.error}: {self.npu.message}")
        for index, link in enumerate(self.chain):
            lines.append(f"  {'calls:' if index == 0 else '      '} {'  ' * index}{link}")
        if self.late:
            lines.append(
                "  note: the kernel failed earlier than the traceback's last line, which only waited for it; "
                "with ASCEND_LAUNCH_BLOCKING=1 the traceback ends where the operator is called"
            )
        if self.finding is not None:
            item = self.finding
            lines += [
                f"  {item.severity}[{item.rule_id}]: {item.message}",
                f"    cause: {item.reason}",
                f"    fix: {item.advice}",
                f"    more: opweld doctor --explain {item.rule_id}",
            ]
        return "\n".join(lines)


def explain(error: BaseException) -> Explanation | None:
    """What is known about an error; None where it has nothing to do with operators or the NPU."""
    if isinstance(error, _UNEXPLAINED) or type(error).__name__ in _ELSEWHERE:
        return None
    failures = read_failures()
    evidence = Evidence.of(error, failures)
    finding = find(evidence)
    if finding is None and evidence.failure is None:
        return None
    chain = chain_of(evidence.failure, failures, evidence.operator) if failures is not None else ()
    late = evidence.failure is not None and bool(evidence.failure.task) and not _blocking()
    return Explanation(evidence.failure, chain, late, finding)


def _blocking() -> bool:
    return os.environ.get("ASCEND_LAUNCH_BLOCKING") == "1"


def show(error: BaseException) -> None:
    """Prints the explanation of an error on stderr, where there is one. Never raises."""
    from opweld import log

    try:
        explanation = explain(error)
        if explanation is not None:
            print(explanation, file=sys.stderr, flush=True)
    except Exception:  # the program's own error must stay the one that is seen
        log.logger("explain").warning("the error could not be explained", exc_info=True)
