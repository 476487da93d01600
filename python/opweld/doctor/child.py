"""Runs the examination of the living dispatcher in a process of its own, on the NPU.

A suspect library is loaded there only: a second definition of a name ends the process that loads it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from opweld import log
from opweld.doctor.findings import Finding, Place
from opweld.environment import choose_device, variables
from opweld.errors import OpweldError, UsageError

_TIMEOUT = 600
_TAIL = 2000


@dataclass
class Request:
    """What the child does, in this order: import modules, load libraries, examine operators, make a table.

    `new` examines the operators that the packages and libraries have added, not those of the imports.
    """

    imports: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)  # put in front of sys.path
    libraries: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)  # imported last: what they register is examined
    operators: list[str] = field(default_factory=list)
    new: bool = False
    namespace: str = ""
    graph: bool = False  # operators must be usable in torchair's graphs


@dataclass
class Answer:
    """What the child found; `rows` is the table over a namespace."""

    findings: list[Finding] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)


class ImportFailed(UsageError):
    """A module cannot be imported in the examining process."""


def run(request: Request, environ: Mapping[str, str] | None = None, vendors: str | None = None) -> Answer:
    """Runs a request; with `vendors` (a path list) the process finds these vendor packages and no others.

    Raises OpweldError where there is no device or no torch, ImportFailed where a module cannot be imported.
    """
    environ = dict(os.environ if environ is None else environ)
    environ |= variables(choose_device(environ=environ), environ)
    if vendors is not None:
        environ |= {"ASCEND_CUSTOM_OPP_PATH": vendors, "OPWELD_AUTOLOAD": "0"}
    with tempfile.TemporaryDirectory(prefix="opweld-doctor-") as name:
        question, result = Path(name) / "request.json", Path(name) / "answer.jsonl"
        question.write_text(json.dumps(asdict(request)), encoding="utf-8")
        command = [sys.executable, "-m", "opweld.doctor.examiner", str(question), str(result)]
        log.logger("doctor").debug("runs %s with %s", shlex.join(command), asdict(request))
        try:
            process = subprocess.run(command, env=environ, capture_output=True, timeout=_TIMEOUT, check=False)
        except subprocess.TimeoutExpired as error:
            raise OpweldError(f"the examination did not end within {_TIMEOUT} s") from error
        lines = result.read_text(encoding="utf-8").splitlines() if result.exists() else []
    output = (process.stderr + process.stdout).decode("utf-8", "replace")
    return read_answer([json.loads(line) for line in lines], process.returncode, output)


def read_answer(events: list[dict[str, Any]], status: int, output: str) -> Answer:
    """Makes an answer of the events that the child wrote; a child that ended early has not written `done`."""
    answer = Answer()
    doing: dict[str, Any] = {"step": "start"}
    for event in events:
        kind = event["event"]
        if kind == "doing":
            doing = event
        elif kind == "finding":
            answer.findings.append(
                Finding(event["rule"], Place(event["place"]), event["message"], event["cause"], event["fix"])
            )
        elif kind == "rows":
            answer.rows = event["rows"]
        elif kind == "operators":
            answer.operators = event["names"]
        elif kind == "failed":
            raise _failed(event)
        elif kind == "done":
            return answer
    answer.findings.append(_ended(doing, status, output))
    return answer


def _failed(event: dict[str, Any]) -> OpweldError:
    if event["step"] == "import":
        return ImportFailed(f"{event['what']} cannot be imported: {event['reason']}")
    return OpweldError(
        f"torch and torch_npu cannot be imported here: {event['reason']}; run opweld doctor without a "
        "target to see what the environment lacks"
    )


def _ended(doing: dict[str, Any], status: int, output: str) -> Finding:
    """The process ended in the middle of something."""
    step, what = doing["step"], doing.get("what", "")
    if step == "start":
        raise OpweldError(f"the examining process ended with status {status}: {_last_line(output)}")
    reason = _reason(output) or _death(status)
    rule = "OW719" if step in ("load", "import") else "OW911"
    doubled = re.search(r"Only a single TORCH_LIBRARY.*?namespace (\w+)", output, re.DOTALL)
    if doubled:
        return Finding(
            "OW701",
            Place(what),
            f"loading {what} ends the process: namespace {doubled[1]!r} is claimed already",
        )
    defined = re.search(r"Tried to register an operator \(([\w:.]+)", output)
    if defined:
        return Finding(
            "OW702", Place(what), f"loading {what} ends the process: {defined[1]} is defined already"
        )
    verb = "loading" if step == "load" else "importing" if step == "import" else "calling"
    return Finding(rule, Place(what), f"{verb} {what} ends the process: {reason}")


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if line.startswith("what():"):
            return line.removeprefix("what():").strip()
    return ""


def _death(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output[-_TAIL:].splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
