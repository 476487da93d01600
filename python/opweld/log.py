"""The log of opweld's Python. `OPWELD_LOG` is its switch, and that of the software NPU's libraries.

Levels are debug, info, warning, error and off. Lines go to stderr in the form of the libraries' lines; a
program that configures the logger "opweld" itself gets them there.
"""

from __future__ import annotations

import logging
import os
import sys
import threading

from opweld.errors import UsageError

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}
_ROOT = "opweld"


def logger(name: str) -> logging.Logger:
    """The logger of a part of opweld: `opweld.NAME`."""
    return logging.getLogger(f"{_ROOT}.{name}")


def level() -> int:
    """What OPWELD_LOG asks for. Raises UsageError for what is no level."""
    wanted = os.environ.get("OPWELD_LOG", "")
    if wanted not in LEVELS:
        raise UsageError(f"OPWELD_LOG is {wanted!r}; it is one of {', '.join(LEVELS)}")
    return LEVELS[wanted]


def configure() -> None:
    """Has lines of the level that OPWELD_LOG asks for written to stderr; without it nothing is changed."""
    if not os.environ.get("OPWELD_LOG"):
        return
    root = logging.getLogger(_ROOT)
    root.setLevel(level())
    if not any(isinstance(handler, _Stderr) for handler in root.handlers):
        root.addHandler(_Stderr())


class _Stderr(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to whatever stderr is at the time, as `[INFO] loader(process,thread): text`."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)

    def format(self, record: logging.LogRecord) -> str:
        module = record.name.removeprefix(f"{_ROOT}.")
        head = f"[{record.levelname}] {module}({record.process},{threading.get_native_id()}): "
        return head + super().format(record)
