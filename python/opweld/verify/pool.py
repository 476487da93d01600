"""A worker process and what becomes of it: answers, crashes, time-outs. Restarted when it is needed again."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from typing import Any

from opweld import log
from opweld.errors import FaultsFound, OpweldError, UsageError

TIMEOUT = 240.0
_ERRORS: dict[int, type[OpweldError]] = {1: FaultsFound, 2: UsageError}


class Crash(Exception):
    """The process ended, or was ended because it gave no answer; the text says how."""


class WorkerProcess:
    """Starts at the first request; one thread at a time may use it."""

    def __init__(self, environ: dict[str, str], opening: dict[str, Any]) -> None:
        self._environ = environ
        self._opening = opening
        self._process: subprocess.Popen[str] | None = None
        self._in_check = False
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the object

    def open(self) -> Any:
        """What `open` answers; starts the process if there is none."""
        self.close()
        return self._start()

    def ask(self, do: str, timeout: float = TIMEOUT, **arguments: Any) -> Any:
        """One request. Raises Crash, or OpweldError for what the worker could not do."""
        if self._process is None:
            self._start()
        return self._request({"do": do, **arguments}, timeout)

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> Any:
        self._log.seek(0)
        self._log.truncate()
        log.logger("verify").debug("starts a worker for %s", self._opening)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "opweld.verify.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
            env=self._environ,
        )
        return self._request({"do": "open", **self._opening}, TIMEOUT)

    def _request(self, request: dict[str, Any], timeout: float) -> Any:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        self._in_check = request["do"] == "check"
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise self._crash() from None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(timeout):
                self.close()
                raise Crash(f"no answer within {timeout:.0f} s")
        line = process.stdout.readline()
        if not line:
            raise self._crash()
        answer = json.loads(line)
        if "result" in answer:
            return answer["result"]
        if "trace" in answer and os.environ.get("OPWELD_DEBUG"):
            print(answer["trace"], file=sys.stderr)
        error = _ERRORS.get(answer.get("exit_code", 3), OpweldError)
        raise error(answer["sentence"])

    def _crash(self) -> Crash:
        assert self._process is not None
        status = self._process.wait()
        self._process = None
        how = f"the process ended with status {status}"
        if status < 0:
            how = f"the process ended with {signal.Signals(-status).name}"
            if -status in (signal.SIGSEGV, signal.SIGBUS) and self._in_check:
                how += (
                    " (the kernel probably reads or writes outside its tensors; where it relies on shapes"
                    " that go together, the operator needs `constraints` that say so)"
                )
        told = self.last_words()
        return Crash(f"{how}: {told}" if told else how)

    def last_words(self) -> str:
        """The last line that the process wrote to stderr."""
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        known = [line for line in lines if "software NPU" in line or "Error" in line or "error" in line]
        return (known or [""])[-1].strip()[:300]
