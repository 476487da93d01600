"""Runs each test of a unittest file in a process of its own, which is forked for it.

usage: isolated.py FILE JUNIT [MODULE:NAME...]

Where a module does not have a name that the file imports and never uses, it gets one that cannot be
called. No test sees what another one left behind: an initialised graph engine, options, operators,
a broken device. The outcomes go to a JUnit file.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import time
import traceback
import unittest
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from xml.sax.saxutils import escape, quoteattr

LIMIT = 300.0  # seconds for one test
_POLL = 0.02


Load = Callable[[], ModuleType]


def tests_of(module: ModuleType) -> Iterator[tuple[str, unittest.TestCase]]:
    """Names and tests of the module, in unittest's order."""
    waiting: list[unittest.TestSuite | unittest.TestCase] = [
        unittest.defaultTestLoader.loadTestsFromModule(module)
    ]
    while waiting:
        first = waiting.pop(0)
        if isinstance(first, unittest.TestSuite):
            waiting[:0] = list(first)
        else:
            yield first.id().removeprefix(f"{module.__name__}."), first


def _outcome(test: unittest.TestCase) -> str:
    """Runs the test here: "" for a pass, "skipped: REASON", or the error."""
    result = unittest.TestResult()
    unittest.TestSuite([test]).run(result)
    faults = [*result.errors, *result.failures]
    if faults:
        return "\n".join(text for _, text in faults)
    if result.unexpectedSuccesses:
        return "unexpected success"
    return f"skipped: {result.skipped[0][1]}" if result.skipped else ""


def _wait(child: int) -> str:
    """The end of the child as an error; "" where it ended by itself."""
    deadline = time.monotonic() + LIMIT
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "" if code == 0 else f"the process ended with {code}"
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"the test takes longer than {LIMIT:.0f} s"
        time.sleep(_POLL)


def isolated(action: Callable[[], str], scratch: Path) -> tuple[str, str]:
    """What the action gives in a process of its own, and how that ended: "" or an error."""
    told = scratch / "told"
    told.unlink(missing_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        status = 1
        try:
            told.write_text(action(), encoding="utf-8", errors="replace")
            status = 0
        except BaseException:
            told.write_text(traceback.format_exc(), encoding="utf-8", errors="replace")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    end = _wait(child)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # what the action started and left
    return (told.read_text(encoding="utf-8") if told.exists() else ""), end


def write_junit(path: Path, outcomes: dict[str, str]) -> None:
    """Writes `_outcome`s by test."""
    lines = ["<testsuite>"]
    for name, outcome in outcomes.items():
        text = escape("".join(c for c in outcome if c >= " " or c == "\n"))
        kind = "skipped" if outcome.startswith("skipped: ") else "failure"
        inner = f"<{kind}>{text}</{kind}>" if outcome else ""
        owner, _, method = name.rpartition(".")
        lines.append(f"<testcase classname={quoteattr(owner)} name={quoteattr(method)}>{inner}</testcase>")
    path.write_text("\n".join([*lines, "</testsuite>"]), encoding="utf-8")


def run_tests(load: Load, junit: Path, names: Sequence[str]) -> int:
    """Runs all tests, or those whose name contains one of `names`.

    Failing ones are no error of the program, but a module that cannot be loaded is. No module is loaded in
    this process: it may use the device, and then no fork of this process can.
    """
    listed, end = isolated(lambda: "\n".join(name for name, _ in tests_of(load())), junit.parent)
    if end:
        print(listed or end, file=sys.stderr)
        return 1
    outcomes: dict[str, str] = {}
    for name in listed.split("\n"):
        if names and not any(text in name for text in names):
            continue
        outcome, end = isolated(lambda name=name: _outcome(dict(tests_of(load()))[name]), junit.parent)
        outcomes[name] = f"{outcome}\n{end}".strip() if end else outcome
        print(f"{name}: {outcomes[name] or 'passed'}\n", flush=True)
        write_junit(junit, outcomes)
    return 0


def absent(name: str) -> None:
    """Gives a module, "a.b:name", a function that raises, where it has none of that name."""
    module, _, attribute = name.partition(":")

    def refuse(*_: object, **__: object) -> None:
        raise NotImplementedError(f"{module} has no {attribute}")

    owner = importlib.import_module(module)
    if not hasattr(owner, attribute):
        setattr(owner, attribute, refuse)


def main(arguments: list[str]) -> int:
    """Runs the tests of one file."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    file, junit = Path(arguments[0]), Path(arguments[1])
    for name in ("torch", "torch_npu", "torchair", "torch._dynamo"):
        importlib.import_module(name)
    for name in arguments[2:]:
        absent(name)
    sys.path.insert(0, str(file.parent))
    return run_tests(lambda: importlib.import_module(file.stem), junit, [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
