"""`opweld graph`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from opweld.commands.environment import explaining, with_startup
from opweld.commands.gen import require_folder
from opweld.environment import choose_device, variables, with_own_python
from opweld.errors import OpweldError, UsageError
from opweld.graph.report import find_models, parse_shapes, read_reports
from opweld.graph.svg import draw, results


def graph(
    models: list[Path], command: list[str], shapes: list[str], runs: int, form: str, output: Path | None
) -> int:
    """Shows what the graph engine makes of models, or of all graphs that a command compiles."""
    sizes = parse_shapes(shapes)
    if output is not None:
        require_folder(output, "the pictures")
    with tempfile.TemporaryDirectory() as folder:
        code = 0
        if command:
            code = _run(command, Path(folder))
            models = [*models, Path(folder)]
            if not list(Path(folder).rglob("*.air")):
                raise OpweldError(f"'{' '.join(command)}' compiled no graph (it ended with {code})")
        reports = read_reports(find_models(models), sizes, runs)
        for report in reports:
            if Path(report["file"]).is_relative_to(folder):
                report["file"] = Path(report["file"]).name  # gone with the folder
    shown = [report for report in reports if "error" not in report]
    if output is not None:
        _write(shown, output)
    if form == "json":
        print(json.dumps(reports, indent=2))
    else:
        for report in shown:
            _show(report)
        if output is not None and shown:
            print(f"pictures and files for graph viewers are in {output}")
    failed = [f"{report['file']}: {report['error']}" for report in reports if "error" in report]
    if failed:
        sys.stdout.flush()
        raise OpweldError("\n".join(failed))
    return code


def _run(command: list[str], folder: Path) -> int:
    environment = {**os.environ, **variables(choose_device("software"))}
    environment |= with_startup(environment) | explaining(environment)
    environment |= {
        "DUMP_GE_GRAPH": "2",
        "DUMP_GRAPH_PATH": str(folder),
        "PATH": with_own_python(environment["PATH"]),
    }
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except OSError as error:
        raise UsageError(f"'{command[0]}' cannot be run: {error.strerror}") from error


def _write(reports: list[dict[str, Any]], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports:
        for state in ("before", "after"):
            stem = f"{Path(report['file']).stem}_{state}"
            (folder / f"{stem}.svg").write_text(draw(f"{report['name']}, {state}", report[state]["nodes"]))
            (folder / f"{stem}.onnx.pbtxt").write_text(report[state]["onnx"])


def _show(report: dict[str, Any]) -> None:
    console = Console(width=None if os.isatty(1) else 140)
    before, after = report["before"]["nodes"], report["after"]["nodes"]
    console.print(
        f"[bold]{report['name']}[/] {report['file']}: {len(before)} nodes, {len(after)} after passes"
    )
    changed = [f"{p['name']} {p['changes']}" for p in report["passes"] if p["changes"]]
    console.print(f"passes: {', '.join(changed) or 'changed nothing'}")
    opened = [one for one in report["inputs"] if any(size < 0 for size in one["declared"]["shape"])]
    if report["no_steps"] is not None:
        _show_nodes(console, after)
        console.print(f"no memory and no times: {escape(report['no_steps'])}\n")
        return
    if opened:
        sizes = ", ".join(f"{one['name']} {one['shape']}" for one in opened)
        console.print(f"open sizes, shown for: {escape(sizes)}")
    forms = {node["name"]: node for node in after}
    table = _table("step", "operators", "result", "memory", "time")
    for number, step in enumerate(report["steps"]):
        last = forms[step["nodes"][-1]]
        types = [forms[name]["type"] for name in step["nodes"]]
        what = " + ".join(types) + (f" (fused, {step['chunks']} chunks)" if step["kind"] == "fused" else "")
        spent = "" if step["microseconds"] is None else f"{step['microseconds']:.1f} us"
        table.add_row(str(number), what, escape(results(last)), f"{step['bytes']:,} B", spent)
    console.print(table)
    memory = report["memory"]
    console.print(
        f"memory of intermediate results: {memory['bytes']:,} B; largest live set "
        f"{memory['largest_live_set']:,} B; without reuse {memory['without_reuse']:,} B\n"
    )


def _show_nodes(console: Console, nodes: list[dict[str, Any]]) -> None:
    table = _table("node", "operator", "result")
    for node in nodes:
        if node["type"] not in ("Const", "NetOutput"):
            table.add_row(node["name"], node["type"], escape(results(node)))
    console.print(table)


def _table(*titles: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title, justify="right" if title in ("memory", "time") else "left")
    return table
