"""Why tests fail, from their output: functions that the software NPU does not have, and the errors' lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from conformance.outcome import FileResult

_MISSING = re.compile(r"\b(acl\w+): the software NPU does not implement this function")
_OLDER = re.compile(r"operator (\w+) was sent to the older single-operator interface")
_ERROR = re.compile(r"^((?:\w+\.)*\w*(?:Error|Exception|Failure|Interrupt|Exit)\b(?:: .*)?)$", re.MULTILINE)
_DETAIL = re.compile(r"^((?:acl\w+|op)[:(].*)$", re.MULTILINE)
_LONGEST = 300


def missing(output: str) -> list[str]:
    """The missing functions; "aclop:NAME" is an operator of the older interface."""
    found = {name.removesuffix("GetWorkspaceSize") for name in _MISSING.findall(output)}
    return sorted(found | {f"aclop:{name}" for name in _OLDER.findall(output)})


def errors(output: str) -> list[str]:
    """The different errors; what the software NPU said is taken rather than torch_npu's frame around it."""
    told = [line for line in _DETAIL.findall(output) if " " in line]
    raised = [line for line in _ERROR.findall(output) if "NPU function error" not in line]
    return list(dict.fromkeys(line[:_LONGEST] for line in [*told, *raised]))


def by_frequency(results: Iterable[FileResult]) -> list[tuple[str, int, int]]:
    """Each missing function: files that ask for it, and files that ask for no other, most wanted first."""
    wanted: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for result in results:
        wanted.update(result.missing)
        if len(result.missing) == 1:
            alone.update(result.missing)
    return sorted(((name, n, alone[name]) for name, n in wanted.items()), key=lambda row: (-row[1], row[0]))
