"""Which tasks a run has: every check with the samples that it wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opweld.verify.model import Case, Task


@dataclass
class OperatorPlan:
    """The tasks of one operator, in the order in which they run."""

    operator: str
    tasks: list[Task]
    reason: str = ""


def make_plan(
    operator: str,
    answer: dict[str, Any],
    checks: list[dict[str, Any]],
    wanted: Sequence[str],
    device: str | None,
) -> OperatorPlan:
    """`answer` is what the worker's `plan` said, `wanted` the checks by name (all, where empty)."""
    cases = [Case.from_json(case) for case in answer["cases"]]
    tasks = []
    for check in checks:
        if wanted and check["name"] not in wanted:
            continue
        for place in answer["devices"]:
            if place in check["devices"] and device in (None, place):
                tasks += [Task(operator, check["name"], place, case) for case in _chosen(check, cases)]
    reason = answer["reason"]
    if not answer["devices"]:
        reason = reason or "it has no kernel for a device of this machine"
    return OperatorPlan(operator, tasks, reason)


def _chosen(check: dict[str, Any], cases: list[Case]) -> list[Case]:
    if check["cases"] == "all":
        return cases
    plain = [case for case in cases if case.size.startswith("small") and case.layout == "contiguous"]
    if check["floating"]:
        plain = [case for case in plain if "float" in case.dtype]
    if check["dtype"]:
        plain = [case for case in plain if check["dtype"] in case.dtype.split("/")]
    if not check["limit"]:
        return plain
    if not check["per_dtype"]:
        # One of each dtype before a second one of the first.
        ranked = sorted(plain, key=lambda case: case.size)
        return ranked[: check["limit"]]
    found: list[Case] = []
    for case in plain:
        if sum(other.dtype == case.dtype for other in found) < check["limit"]:
            found.append(case)
    return found
