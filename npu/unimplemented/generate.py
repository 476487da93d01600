"""Writes the C++ of functions that fail by their name, from functions.tsv and no_ops.tsv.

usage: generate.py functions.tsv no_ops.tsv OUTPUT_FOLDER

For each library LIB in the tables, OUTPUT_FOLDER/LIB.cpp holds its functions; OUTPUT_FOLDER/cases.inc lists
them all for the test. A file whose text would not change keeps its time stamp.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

HEAD = """// Made by npu/unimplemented/generate.py; edit its tables.
#include "npu/unimplemented/objects.h"

"""

# failure kind -> (return type, code that is set; the returned value where it is not that code)
KINDS: dict[str, tuple[str, int, str | None]] = {
    "acl_error": ("int32_t", 207000, None),  # ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    "hccl_error": ("int32_t", 5, None),  # HCCL_E_NOT_SUPPORT
    "ge_error": ("int32_t", -1, None),  # ge::FAILED and ge::GRAPH_FAILED, 0xFFFFFFFF
    "msprof_error": ("int32_t", -1, None),
    "null": ("const void*", 207000, "nullptr"),
    "zero": ("uint64_t", 207000, "0"),
    "false": ("bool", 207000, "false"),
    "empty_text": ("const char*", 207000, '""'),
    "nothing": ("void", 207000, ""),
}


@dataclass(frozen=True)
class Function:
    """One row of functions.tsv."""

    library: str
    symbol: str
    failure: str
    name: str
    purpose: str

    @property
    def message(self) -> str:
        """The sentence for aclGetRecentErrMsg."""
        return f"{self.name} is not implemented by opweld's software NPU ({self.purpose})"


def read_rows(path: Path) -> list[dict[str, str]]:
    """Reads a table with a header line; tabs separate the columns."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise SystemExit(f"{path}:{number}: wrong number of columns, expected those of the header line")
    return rows


def literal(text: str) -> str:
    """Gives text as a C++ string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def declare(result: str, symbol: str, number: int, arguments: str) -> str:
    """Declares a function under its binary name and opens its definition."""
    if symbol.startswith("_Z"):
        return (
            f"OPWELD_EXPORT {result} function_{number}({arguments}) asm({literal(symbol)});\n"
            f"{result} function_{number}({arguments})"
        )
    return f'extern "C" OPWELD_EXPORT {result} {symbol}({arguments});\n{result} {symbol}({arguments})'


def define(function: Function, number: int) -> str:
    """Gives the definition of one function."""
    kind, _, size = function.failure.rpartition("_")
    text = literal(function.message)
    if kind == "return":  # a class that is returned through hidden memory
        result = f"opweld::npu::EmptyObject<{size}>"
        body = f"opweld::npu::fail(207000, {text});\n    return {{}};"
        return f"{declare(result, function.symbol, number, '')} {{\n    {body}\n}}\n"
    if kind == "construct":
        body = f"opweld::npu::fail(207000, {text});\n    opweld::npu::clear_object<{size}>(object);"
        return f"{declare('void', function.symbol, number, 'void* object')} {{\n    {body}\n}}\n"
    result, code, value = KINDS[function.failure]
    if value is None:
        body = f"return opweld::npu::fail({code}, {text});"
    else:
        body = f"opweld::npu::fail({code}, {text});" + (f"\n    return {value};" if value else "")
    return f"{declare(result, function.symbol, number, '')} {{\n    {body}\n}}\n"


def write(path: Path, text: str) -> None:
    """Writes a file unless it holds this text already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Reads the tables and writes the sources."""
    if len(arguments) != 3:
        raise SystemExit(__doc__)
    functions_path, no_ops_path, output = (Path(argument) for argument in arguments)
    output.mkdir(parents=True, exist_ok=True)
    sources: dict[str, list[str]] = defaultdict(list)
    cases = []
    for number, row in enumerate(read_rows(functions_path)):
        function = Function(
            row["library"], row["symbol"], row["failure"], row["name"] or row["symbol"], row["purpose"]
        )
        if function.failure not in KINDS and not function.failure.startswith(("return_", "construct_")):
            raise SystemExit(f"{functions_path}:{number + 2}: unknown failure kind {function.failure!r}")
        sources[function.library].append(define(function, number))
        kind, _, size = function.failure.rpartition("_")
        if kind not in ("return", "construct"):
            kind, size = function.failure, "0"
        cases.append(
            f"{{{literal(function.library)}, {literal(function.symbol)}, {literal(function.name)}, "
            f"{literal(kind)}, {size}}},\n"
        )
    for row in read_rows(no_ops_path):
        head = declare("int32_t", row["symbol"], 0, "")
        sources[row["library"]].append(f"{head} {{\n    return {row['returns']};\n}}\n")
    for library, functions in sources.items():
        write(output / f"{library}.cpp", HEAD + "\n".join(functions))
    write(output / "cases.inc", "".join(cases))


if __name__ == "__main__":
    main(sys.argv[1:])
