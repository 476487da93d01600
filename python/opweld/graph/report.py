"""Reads models and asks the graph engine for their reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True)
class Sizes:
    """Sizes of one input; of a graph with this name, or (with "") of each graph that has such an input."""

    graph: str
    input: str  # its number or name
    shape: list[int]


def parse_shapes(texts: list[str]) -> list[Sizes]:
    """`0=2,3`, `x=2,3` or `graph_1:x=2,3`; raises UsageError."""
    all_sizes = []
    for text in texts:
        place, equals, sizes = text.partition("=")
        graph, _, name = place.rpartition(":")
        try:
            shape = [int(size) for size in sizes.split(",") if size.strip()]
            if not equals or not name or any(size < 0 for size in shape):
                raise ValueError
        except ValueError:
            raise UsageError(
                f"--shape {text}: write INPUT=SIZES or GRAPH:INPUT=SIZES, for example 0=2,3 or graph_1:x=2,3"
            ) from None
        all_sizes.append(Sizes(graph, name, shape))
    return all_sizes


def read_reports(models: list[Path], sizes: list[Sizes], runs: int) -> list[dict[str, Any]]:
    """Reports of models, from a process on the software NPU.

    Sizes that a model leaves open are those given, else those of its first run if they lie beside the file.
    A model that cannot be shown has "error", the engine's reason, in place of a report.
    Raises UsageError for sizes of graphs that aren't there, OpweldError where the process fails.
    """
    request = {
        "models": [str(model) for model in models],
        "sizes": [asdict(one) for one in sizes],
        "runs": runs,
    }
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
    _require_use(sizes, reports)
    return reports


def _require_use(sizes: list[Sizes], reports: list[dict[str, Any]]) -> None:
    used = {index for report in reports for index in report.get("sizes_used", [])}
    for index, one in enumerate(sizes):
        if index not in used and not any("error" in report for report in reports):
            inputs = "; ".join(
                f"{report['name']} has "
                + ", ".join(f"{i} '{x['name']}'" for i, x in enumerate(report["inputs"]))
                for report in reports
            )
            place = f"graph '{one.graph}' has no input" if one.graph else "no graph has an input"
            raise UsageError(f"--shape: {place} '{one.input}'; {inputs}")


def _is_called(model: Path, report: dict[str, Any], graph: str) -> bool:
    return graph in ("", model.stem, report["name"])


def _recorded(model: Path) -> dict[str, Any]:
    """Sizes of the first run, as DUMP_GE_GRAPH writes them beside a model."""
    file = model.with_suffix(".inputs.json")
    return json.loads(file.read_text()) if file.is_file() else {}


def _report(model: Path, sizes: list[dict[str, Any]], runs: int) -> dict[str, Any]:
    content = model.read_bytes()
    given = _recorded(model)
    if not sizes:
        return engine().report(content, given, runs)
    declared = engine().report(content, {})
    numbers = {one["name"]: str(number) for number, one in enumerate(declared["inputs"])}
    used = []
    for index, one in enumerate(sizes):
        number = numbers.get(one["input"], one["input"])
        if _is_called(model, declared, one["graph"]) and number in numbers.values():
            given[number] = {"shape": one["shape"]}
            used.append(index)
    return {**engine().report(content, given, runs), "sizes_used": used}


def _answer(request: dict[str, Any]) -> list[dict[str, Any]]:
    reports = []
    for name in request["models"]:
        try:
            report = _report(Path(name), request["sizes"], request["runs"])
        except OpweldError as error:
            report = {"error": str(error)}
        reports.append({"file": name, **report})
    return reports


def _main() -> None:
    try:
        engine()
        print(json.dumps(_answer(json.load(sys.stdin))))
    except OpweldError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
