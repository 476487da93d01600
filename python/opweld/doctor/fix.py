"""Mends what is mechanical: shows the change as a diff, and writes it so that nothing can be lost."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from opweld.doctor.findings import Edit, Finding
from opweld.errors import OpweldError


@dataclass(frozen=True)
class Change:
    """A file's content before and after."""

    path: str
    before: bytes
    after: bytes

    def diff(self) -> str:
        """As a unified diff."""
        return "".join(
            difflib.unified_diff(
                _lines(self.before), _lines(self.after), f"a/{self.path}", f"b/{self.path}", n=2
            )
        )


def _lines(content: bytes) -> list[str]:
    lines = content.decode("utf-8", "replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def plan(findings: list[Finding]) -> list[Change]:
    """The changes that the findings ask for. Of edits that overlap, only the first is made."""
    by_path: dict[str, set[Edit]] = defaultdict(set)
    for item in findings:
        for edit in item.edits:
            by_path[edit.path].add(edit)
    changes = []
    for path, edits in sorted(by_path.items()):
        before = Path(path).read_bytes()
        after = apply(before, edits)
        if after != before:
            changes.append(Change(path, before, after))
    return changes


def apply(content: bytes, edits: set[Edit]) -> bytes:
    """The content with the edits made."""
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda item: (item.start, item.end)):
        if edit.start < position:
            continue
        pieces += [content[position : edit.start], edit.text.encode()]
        position = edit.end
    return b"".join([*pieces, content[position:]])


def write(change: Change) -> None:
    """Puts the new content in the place of the old in one step.

    Raises OpweldError, and leaves the file as it was, where it has changed since or cannot be written.
    """
    path = Path(os.path.realpath(change.path))
    if path.read_bytes() != change.before:
        raise OpweldError(f"{change.path} has changed while it was examined; nothing was written")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(change.after)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(path.stat().st_mode & 0o7777)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OpweldError(f"{change.path} cannot be written: {error.strerror}; it is as it was") from error
