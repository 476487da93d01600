"""`opweld gen`, and generation for `opweld build`."""

from __future__ import annotations

import sys
from pathlib import Path

from opweld import _core
from opweld.errors import FaultsFound, UsageError


def gen(spec: Path, output: Path) -> None:
    """Writes the generated project of `spec` to `output` and says what was written."""
    require_folder(output)
    result = generate(spec, output, "software")
    changed = sum(file.changed for file in result.files)
    print(f"{len(result.files)} files in {output}, {changed} of them new or changed")


def generate(spec: Path, output: Path, target: str) -> _core.GenerateResult:
    """Generates; reports warnings on stderr. Raises FaultsFound with the reports of all faults."""
    require_file(spec)
    result = _core.generate(str(spec), str(output), target, sys.stderr.isatty())
    if not result.ok:
        print(result.report, end="", file=sys.stderr)
        raise FaultsFound(f"{spec} has faults; nothing was generated")
    if result.report:
        print(result.report, end="", file=sys.stderr)
    return result


def require_file(path: Path) -> None:
    """Raises UsageError unless `path` is a file that can be read."""
    require_utf8(path)
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a spec file in it")
    if not path.exists():
        raise UsageError(f"file {path} does not exist")
    if not path.is_file():
        raise UsageError(f"{path} is a device or a pipe; name a file")


def require_folder(path: Path, what: str = "what is generated") -> None:
    """Raises UsageError unless `path` is a folder, or can become one, for `what`."""
    require_utf8(path)
    for part in [path, *path.parents]:
        if part.exists() and not part.is_dir():
            raise UsageError(f"{part} is a file; name a folder for {what}")


def require_target(path: Path, what: str) -> None:
    """Raises UsageError unless `path` can be written as a file: `what` goes there."""
    require_utf8(path)
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file for {what}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"folder {path.absolute().parent} for {what} does not exist")


def require_utf8(path: Path) -> None:
    """Raises UsageError unless the path is UTF-8: specs, CMake and Python name files by text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise UsageError(f"the path {str(path)!a} is not UTF-8; rename it") from None
