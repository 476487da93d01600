"""`opweld new`."""

from __future__ import annotations

import sys
from pathlib import Path

from opweld import _core
from opweld.commands.gen import require_folder
from opweld.errors import UsageError


def new(name: str, parent: Path) -> None:
    """Makes the project `parent/name` and says what comes next."""
    if name in sys.stdlib_module_names or name in ("npu", "aten"):
        raise UsageError(
            f"{name!r} is a module of Python's own or a namespace of PyTorch; take another: '{name}_ops'"
        )
    directory = parent / name
    require_folder(directory, "the project")
    try:
        files = _core.new_project(name, str(directory))
    except ValueError as error:
        raise UsageError(str(error)) from error
    for file in files:
        print(f"  {directory / file}")
    print(f"next: opweld build --install {directory}")
