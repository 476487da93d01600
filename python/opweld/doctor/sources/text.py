"""A source's text: places in it from offsets, lines for reports."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import Path

from opweld.doctor.findings import Place
from opweld.errors import UsageError


class SourceText:
    """The content of one file. Columns count characters, offsets bytes; a file that is not UTF-8 is read as
    far as that goes."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        position = self.content.find(b"\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.content.find(b"\n", position + 1)
        return starts

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of the bytes from `start` to `end`."""
        row = bisect_right(self._starts, start) - 1
        column = len(self.content[self._starts[row] : start].decode("utf-8", "replace")) + 1
        return Place(self.path, row + 1, column, start, start if end is None else end)

    def offset(self, line: int, column_bytes: int) -> int:
        """The offset of a line (from 1) and a column in bytes (from 0), as Python's ast gives them."""
        return self._starts[line - 1] + column_bytes


def read_source(path: Path, name: str) -> SourceText:
    """Reads a file; `name` is what reports call it. Raises UsageError."""
    try:
        return SourceText(name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
