"""Starts the files of a suite in parallel; a file that reaches its limit is killed with its process group."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from conformance.outcome import Ended
from conformance.suite import Suite

FORKSERVER = Path(__file__).with_name("forkserver.py")


class LaunchError(Exception):
    """The files cannot be started at all: exit code 2."""


class Starter(Protocol):
    """Runs one file after the other."""

    def run(self, file: str) -> Ended: ...

    def close(self) -> None: ...


def _environment(suite: Suite, values: dict[str, str]) -> dict[str, str]:
    environment = dict(os.environ)
    environment.update({name: text.format(**values) for name, text in suite.environment.items()})
    path = [entry.format(**values) for entry in suite.path]
    environment["PYTHONPATH"] = os.pathsep.join([*path, *filter(None, [environment.get("PYTHONPATH")])])
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the folder is another project's
    return environment


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


class Commands:
    """A process per file, as the suite's command says."""

    def __init__(self, suite: Suite, base: Path, prefix: Sequence[str]) -> None:
        self._suite, self._base, self._prefix = suite, base, prefix

    def run(self, file: str) -> Ended:
        with tempfile.TemporaryDirectory() as scratch:
            log, junit = Path(scratch) / "log", Path(scratch) / "junit.xml"
            values = {
                "folder": str(self._base),
                "file": str(self._base / file),
                "python": sys.executable,
                "junit": str(junit),
                "tools": str(FORKSERVER.parent),
            }
            command = [*self._prefix, *(part.format(**values) for part in self._suite.command)]
            begin = time.monotonic()
            with log.open("wb") as output:
                try:
                    process = subprocess.Popen(
                        command,
                        cwd=(self._base / file).parent,
                        env=_environment(self._suite, values),
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )
                except OSError as error:
                    raise LaunchError(f"cannot start {command[0]}: {error}") from error
                try:
                    status: int | None = process.wait(self._suite.limit)
                except subprocess.TimeoutExpired:
                    status = None
                finally:
                    _kill(process.pid)
                    process.wait()
            told = junit.read_text(errors="replace") if junit.exists() else ""
            return Ended(log.read_text(errors="replace"), status, time.monotonic() - begin, told)

    def close(self) -> None:
        """Nothing stays open."""


class Forks:
    """A process that has imported the suite's modules and forks for each file."""

    def __init__(self, suite: Suite, base: Path, prefix: Sequence[str]) -> None:
        self._suite, self._base, self._prefix = suite, base, prefix
        self._values = {"folder": str(base), "python": sys.executable}
        self._server: subprocess.Popen[str] | None = None

    def _started(self) -> subprocess.Popen[str]:
        if self._server is None:
            self._server = subprocess.Popen(
                [*self._prefix, sys.executable, str(FORKSERVER), *self._suite.preload],
                env=_environment(self._suite, self._values) | {"PYTHONHASHSEED": str(self._suite.seed)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return self._server

    def run(self, file: str) -> Ended:
        server = self._started()
        assert server.stdin is not None
        assert server.stdout is not None
        with tempfile.TemporaryDirectory() as scratch:
            log = Path(scratch) / "log"
            request = {
                "file": str(self._base / file),
                "folder": str((self._base / file).parent),
                "path": [entry.format(**self._values) for entry in self._suite.path],
                "arguments": [text.format(**self._values) for text in self._suite.arguments],
                "log": str(log),
                "limit": self._suite.limit,
                "seed": self._suite.seed,
            }
            try:
                server.stdin.write(json.dumps(request) + "\n")
                server.stdin.flush()
                line = server.stdout.readline()
            except BrokenPipeError:
                line = ""
            if not line:
                raise LaunchError(
                    f"the process that imports {', '.join(self._suite.preload)} ended; its error is above"
                )
            answer = json.loads(line)
            output = log.read_text(errors="replace") if log.exists() else ""
            return Ended(output, answer["status"], answer["seconds"])

    def close(self) -> None:
        if self._server is not None:
            assert self._server.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._server.stdin.close()
            try:
                self._server.wait(self._suite.limit + 10)
            finally:
                self._server.kill()


def run_files(
    suite: Suite,
    base: Path,
    files: Sequence[str],
    jobs: int,
    prefix: Sequence[str],
    done: Callable[[str, Ended], None],
) -> None:
    """Runs all files; calls `done` for each in any order, one at a time. Raises LaunchError."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for file in files:
        waiting.put(file)
    lock = threading.Lock()
    faults: list[Exception] = []

    def work() -> None:
        starter: Starter = (Commands if suite.command else Forks)(suite, base, prefix)
        try:
            while not faults:
                file = waiting.get_nowait()
                ended = starter.run(file)
                with lock:
                    done(file, ended)
        except queue.Empty:
            pass
        except Exception as error:
            faults.append(error)
        finally:
            starter.close()

    threads = [threading.Thread(target=work) for _ in range(max(1, min(jobs, len(files))))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt as interrupt:  # which the processes got, too
        faults.append(LaunchError("interrupted"))
        raise LaunchError("interrupted") from interrupt
    if faults:
        raise faults[0]
