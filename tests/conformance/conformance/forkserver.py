"""Imports what all files of a suite import, once, and then forks for each file: seconds saved per file.

Runs on the software NPU; nothing may use the device before a fork. usage: forkserver.py MODULE...

Reads one JSON object a line: file, folder, path (list), arguments (list), log (file), limit (seconds), seed.
Writes one a line: status (exit code, negative for a signal, null where the limit was reached), seconds.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import runpy
import signal
import sys
import time
import traceback
from typing import Any

_POLL = 0.02


def _run(request: dict[str, Any]) -> int:
    """In the child: runs the file as the main program; its exit code."""
    os.chdir(request["folder"])
    sys.path[:0] = request["path"]
    sys.argv = [request["file"], *request["arguments"]]
    random.seed(request["seed"])
    for name in ("numpy", "torch"):
        if module := sys.modules.get(name):
            (module.random.seed if name == "numpy" else module.manual_seed)(request["seed"])
    try:
        runpy.run_path(request["file"], run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _child(request: dict[str, Any]) -> None:
    os.setsid()
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, log), (2, log)):
        os.dup2(source, target)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    status = 1
    try:
        status = _run(request)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status & 255)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _wait(child: int, limit: float, parent: int) -> int | None:
    end = time.monotonic() + limit
    try:
        while time.monotonic() < end and os.getppid() == parent:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(_POLL)
        os.kill(child, signal.SIGKILL)  # it may not have its own group yet
        os.waitpid(child, 0)
        return None
    finally:
        _kill(child)  # and what it started


def _serve(modules: list[str]) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    parent = os.getppid()
    for module in modules:
        importlib.import_module(module)
    for line in sys.stdin:
        request = json.loads(line)
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            answers.close()
            _child(request)
        status = _wait(child, request["limit"], parent)
        answers.write(json.dumps({"status": status, "seconds": time.monotonic() - begin}) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve(sys.argv[1:])
