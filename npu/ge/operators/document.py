"""Writes the reference page of the graph engine's operators from their table.

usage: document.py [--check] [PAGE]
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

from generate import Row, read_table
from standard_prototypes import Prototype, read_prototypes

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "reference" / "graph-operators.md"
TORCHAIR_FILE = "dynamo/torchair/_ge_concrete_graph/auto_generated_ge_raw_ops.py"
HEAD = """# Operators of graphs
What the graph engine runs of compiled graphs (`torch.compile` with torchair's backend): {count} operator
types. Written by `npu/ge/operators/document.py` from the table in `npu/ge/operators/table`; types that
vendor packages bring are not listed.

`?` marks inputs that may be left out, `...` those that are lists; attributes stand with their defaults, `!`
marks required ones. Inputs whose values decide the shape of a result, or that are numbers, are in italics.
"Computed by" names a function of ATen (`at::`), a kernel of eager mode (`aclnn`), or one of the engine.
"""


def installed_prototypes() -> dict[str, Prototype]:
    """The prototypes of the installed torchair."""
    package = importlib.util.find_spec("torch_npu")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("torch_npu is not installed: run scripts/setup first")
    return read_prototypes(Path(package.submodule_search_locations[0], TORCHAIR_FILE))


def inputs_text(row: Row) -> str:
    """The inputs of an operator."""
    marks = {"required": "", "optional": "?", "dynamic": "..."}
    texts = []
    for port in row.prototype.inputs:
        name = f"{port.name}{marks[port.kind]}"
        texts.append(f"*{name}*" if port.name in row.host else name)
    return ", ".join(texts)


def attributes_text(row: Row) -> str:
    """The attributes of an operator, with defaults."""
    return ", ".join(
        f"{attribute.name}!" if attribute.required else f"{attribute.name}={value_text(attribute.default)}"
        for attribute in row.prototype.attributes
    )


def value_text(value: object) -> str:
    """A default as readers know it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and not value.startswith("DT_"):
        return f'"{value}"'
    return str(value)


def computed_by(row: Row) -> str:
    """The outermost function of an operator's expression."""
    text = row.compute or row.write
    kernel = re.search(r'run_kernel\("(\w+)"', text)
    if kernel:
        return f"aclnn{kernel[1]}"
    calls = [name for name in re.findall(r"(?<![\w.>])(?:at::)?\w+(?=\()", text) if name != "results"]
    return calls[0] if calls else "the engine"


def page(tables: Path = HERE / "table") -> str:
    """The page's text."""
    prototypes = installed_prototypes()
    sections = []
    count = 0
    for file in sorted(tables.glob("*.yaml")):
        _, rows = read_table(file, prototypes)
        rows = [row for row in rows if row.type in prototypes]
        count += len(rows)
        lines = [f"\n## {file.stem.capitalize()} ({len(rows)})", ""]
        lines += ["| type | inputs | attributes | computed by |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {row.type} | {inputs_text(row)} | {attributes_text(row)} | `{computed_by(row)}` |"
            for row in sorted(rows, key=lambda row: row.type)
        ]
        sections.append("\n".join(lines) + "\n")
    return HEAD.format(count=count) + "".join(sections)


def main(arguments: list[str]) -> int:
    """Writes the page, or tells whether it is current."""
    check = "--check" in arguments
    paths = [Path(text) for text in arguments if text != "--check"]
    target = paths[0] if paths else PAGE
    text = page()
    if check:
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            print(f"{target} is not what {Path(__file__).name} writes: run it", file=sys.stderr)
            return 1
        return 0
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
