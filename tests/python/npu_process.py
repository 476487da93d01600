"""A process on the software NPU that tests share: importing torch and torch_npu once, not per test.

`NpuProcess.call("module:function", **arguments)` imports a module of this folder in that process and calls
the function; arguments and result travel as JSON. A call that raises is an NpuError with the error's text; a
process that ends is one, too, and the next call starts another.
"""

import contextlib
import importlib
import io
import json
import os
import selectors
import subprocess
import sys
import sysconfig
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OPWELD = Path(sys.executable).parent / "opweld"


class NpuError(Exception):
    """A call failed in the NPU process; `kind` is the error's class there ("" where the process ended)."""

    def __init__(self, kind: str, message: str, output: str = "") -> None:
        super().__init__(f"{kind}: {message}\n{output}")
        self.kind = kind
        self.message = message


class NpuProcess:
    """Starts on the first call."""

    def __init__(self, *options: str, environ: dict[str, str] | None = None) -> None:
        self._options = options
        self._environ = environ or {}
        self._process: subprocess.Popen[str] | None = None

    def call(self, function: str, *, timeout: float = 300, **arguments: Any) -> Any:
        process = self.send(function, **arguments)
        answer = json.loads(self._line(process, function, timeout))
        if "error" in answer:
            raise NpuError(answer["kind"], answer["error"], answer["trace"])
        return answer["result"]

    def send(self, function: str, **arguments: Any) -> subprocess.Popen[str]:
        """Starts a call whose answer nobody waits for; `kill` or `close` ends it."""
        process = self._start()
        assert process.stdin is not None
        process.stdin.write(json.dumps({"function": function, "arguments": arguments}) + "\n")
        process.stdin.flush()
        return process

    def kill(self) -> None:
        """Ends the process by SIGKILL, which it cannot notice."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [
                str(OPWELD),
                "run",
                "--software",
                "--quiet",
                *self._options,
                "--",
                sys.executable,
                __file__,
            ]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | self._environ,
            )
        return self._process

    def _line(self, process: subprocess.Popen[str], function: str, timeout: float) -> str:
        assert process.stdout is not None
        end = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(end - time.monotonic()):
                self.close()
                raise NpuError("", f"{function} gave no answer within {timeout} s")
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self._process = None
            raise NpuError("", f"the process ended with status {status} during {function}")
        return line


def _forget_installed_packages() -> None:
    """The operator packages of this environment, as the demo installs one, are no part of a test."""
    own = sysconfig.get_path("purelib") + os.sep
    folders = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep)
    os.environ["ASCEND_CUSTOM_OPP_PATH"] = os.pathsep.join(f for f in folders if not f.startswith(own))


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the code under test prints is not an answer
    sys.path.insert(0, str(HERE))
    for line in sys.stdin:
        request = json.loads(line)
        module, _, name = request["function"].partition(":")
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output):
                function = getattr(importlib.import_module(module), name)
                _forget_installed_packages()  # opweld, which it may have imported, has put them there
                result = function(**request["arguments"])
            answer = {"result": result}
        except Exception as error:  # the caller gets whatever it is
            trace = traceback.format_exc() + output.getvalue()
            answer = {"kind": type(error).__name__, "error": str(error), "trace": trace}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
