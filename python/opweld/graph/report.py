"""Reads models and asks the graph engine for their reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from opweld.environment import choose_device, variables
from opweld.errors import OpweldError, UsageError
from opweld.graph.engine import engine

SUFFIXES = (".air", ".om")
_HELPER = "opweld.graph.report"


def find_models(paths: list[Path]) -> list[Path]:
    """Model files, and those in folders (of torchair's export and of DUMP_GE_GRAPH)."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*.air") if file.is_file())
            if not inside:
                raise UsageError(f"{path} has no model: no file *.air is in it")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise UsageError(f"{path} does not exist")
    return found


def parse_shapes(texts: list[str]) -> dict[str, list[int]]:
    """`0=2,3` gives {"0": [2, 3]}; raises UsageError."""
    shapes: dict[str, list[int]] = {}
    for text in texts:
        index, equals, sizes = text.partition("=")
        try:
            shape = [int(size) for size in sizes.split(",") if size.strip()]
            if not equals or int(index) < 0 or any(size < 0 for size in shape):
                raise ValueError
        except ValueError:
            raise UsageError(f"--shape {text}: write INPUT=SIZES, for example 0=2,3") from None
        shapes[str(int(index))] = shape
    return shapes


def read_reports(models: list[Path], shapes: dict[str, list[int]], runs: int) -> list[dict[str, Any]]:
    """Reports of models, from a process on the software NPU; raises OpweldError with the engine's reason."""
    request = {"models": [str(model) for model in models], "shapes": shapes, "runs": runs}
    device = choose_device("software")
    result = subprocess.run(
        [sys.executable, "-m", _HELPER],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env={**os.environ, **variables(device)},
        check=False,
    )
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines()
        raise OpweldError(lines[-1] if lines else f"the process ended with {result.returncode}")
    reports: list[dict[str, Any]] = json.loads(result.stdout)
    return reports


def _answer(request: dict[str, Any]) -> list[dict[str, Any]]:
    reports = []
    for name in request["models"]:
        try:
            report = engine().report(Path(name).read_bytes(), request["shapes"], request["runs"])
        except OpweldError as error:
            raise OpweldError(f"{name}: {error}") from error
        reports.append({"file": name, **report})
    return reports


def _main() -> None:
    try:
        print(json.dumps(_answer(json.load(sys.stdin))))
    except OpweldError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
