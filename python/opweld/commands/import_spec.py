"""`opweld import`: specs from other tools' files."""

from __future__ import annotations

import re
import sys
from importlib.metadata import requires
from pathlib import Path

from opweld import _core
from opweld.commands.gen import require_file, require_target
from opweld.errors import FaultsFound, OpweldError


def import_spec(source: Path, output: Path | None, complete_only: bool) -> None:
    """Writes the spec to `output` (or stdout), and to stderr what could be imported and what not."""
    require_file(source)
    if output is not None:
        require_target(output, "the spec")
    kind = "msopgen" if source.suffix == ".json" else "op-plugin"
    try:
        text = source.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FaultsFound(f"{source} is no UTF-8 text: {error}") from error
    result = _core.import_spec(text, str(source), kind, torch_version(), complete_only, sys.stderr.isatty())
    print(result.report, end="", file=sys.stderr)
    print(result.summary.rstrip("\n"), file=sys.stderr)
    if not result.yaml:
        raise FaultsFound(f"nothing in {source} could be imported")
    if output is None:
        print(result.yaml, end="")
    else:
        output.write_text(result.yaml, encoding="utf-8")


def torch_version() -> str:
    """The torch version this opweld is for, "2.13", from its own requirements."""
    for requirement in requires("opweld") or []:
        if match := re.match(r"torch==(\d+\.\d+)", requirement):
            return match[1]
    raise OpweldError("the installed opweld does not state its torch version; install it again")
