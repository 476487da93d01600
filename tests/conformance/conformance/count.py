"""Counts tests: reads the output of unittest (-v), pytest (-rA), or a JUnit file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from conformance.outcome import CRASHED, FAILED, HUNG, PASSED, SKIPPED, Ended


def count(counted: str, ended: Ended) -> dict[str, str]:
    """Name -> outcome."""
    tests = {"unittest": _unittest, "pytest": _pytest, "junit": _junit}[counted](ended)
    return dict(sorted(tests.items()))


# "test_x (__main__.TestY.test_x) ... "; other output may stand between the dots and the outcome.
_STARTED = re.compile(r"^(test\w*) \(([\w.<>]+)\)", re.MULTILINE)
_SECTION = re.compile(r"^(?:ERROR|FAIL|UNEXPECTED SUCCESS): (\w+) \(([\w.<>]+)\)", re.MULTILINE)
_RULE = "=" * 70
_SKIPPED = re.compile(r"\bskipped ['\"]")
_UNEXPECTED = re.compile(r"\bunexpected success$", re.MULTILINE)


def _unittest_name(method: str, owner: str) -> str:
    """`test_x (__main__.TestY.test_x)`, and `setUpClass (__main__.TestY)`, without the module."""
    parts = owner.split(".")[1:] or [owner]
    return ".".join(parts if parts[-1] == method else [*parts, method])


def _unittest(ended: Ended) -> dict[str, str]:
    progress, _, sections = ended.output.partition(f"{_RULE}\n")
    tests: dict[str, str] = {}
    starts = list(_STARTED.finditer(progress))
    ends = [*(following.start() for following in starts[1:]), len(progress)]
    for start, end in zip(starts, ends, strict=False):
        said = progress[start.end() : end]
        outcome = SKIPPED if _SKIPPED.search(said) else FAILED if _UNEXPECTED.search(said) else PASSED
        tests[_unittest_name(start[1], start[2])] = outcome
    if starts and not re.search(r"^Ran \d+ tests? in", ended.output, re.MULTILINE):
        last = _unittest_name(starts[-1][1], starts[-1][2])
        tests[last] = HUNG if ended.status is None else CRASHED
    for section in _SECTION.finditer(sections):
        tests[_unittest_name(section[1], section[2])] = FAILED
    return tests


_PYTEST = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (?:\[\d+\] )?(\S+)", re.MULTILINE)


def _pytest(ended: Ended) -> dict[str, str]:
    words = {"PASSED": PASSED, "XPASS": PASSED, "XFAIL": PASSED, "SKIPPED": SKIPPED}
    tests: dict[str, str] = {}
    for found in _PYTEST.finditer(ended.output):
        name = found[2].partition("::")[2].replace("::", ".") or found[2].rstrip(":")
        outcome = words.get(found[1], FAILED)
        tests[name] = FAILED if FAILED in (outcome, tests.get(name)) else outcome
    return tests


def _junit(ended: Ended) -> dict[str, str]:
    try:
        root = ElementTree.fromstring(ended.junit)
    except ElementTree.ParseError:
        return {}
    tests: dict[str, str] = {}
    for case in root.iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name', '')}".lstrip(".")
        children = {child.tag for child in case}
        outcome = FAILED if children & {"failure", "error"} else SKIPPED if "skipped" in children else PASSED
        tests[name] = outcome
    return tests
