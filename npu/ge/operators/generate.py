"""Writes the table of graph operators as C++: one file for each table/*.yaml, and the list of all.

A row is an operator type and C++ expressions over the names of its prototype; see README.md beside this file.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HOST_READERS = {
    "integers": ("const std::vector<int64_t>", "integers"),
    "integer": ("const int64_t", "integer"),
    "number": ("const at::Scalar", "number"),
}
OPTIONAL_READERS = {
    "integers": ("const std::optional<std::vector<int64_t>>", "optional_integers"),
    "number": ("const std::optional<at::Scalar>", "optional_number"),
}
ATTRIBUTES = {
    "Int": ("integer", "int64_t", "const int64_t", "integer_attribute"),
    "Float": ("real", "float", "const double", "real_attribute"),
    "Bool": ("boolean", "bool", "const bool", "bool_attribute"),
    "String": ("text", "std::string", "const std::string&", "text_attribute"),
    "Type": ("dtype", "DataType", "const at::ScalarType", "dtype_attribute"),
    "ListInt": ("integers", "std::vector<int64_t>", "const std::vector<int64_t>&", "integers_attribute"),
    "ListFloat": ("reals", "std::vector<float>", "const std::vector<double>", "reals_attribute"),
    "ListBool": ("booleans", "std::vector<bool>", "const std::vector<bool>&", "bools_attribute"),
    "ListString": ("texts", "std::vector<std::string>", "", ""),
    "ListListInt": (
        "nested_integers",
        "std::vector<std::vector<int64_t>>",
        "const std::vector<std::vector<int64_t>>&",
        "nested_attribute",
    ),
    "Tensor": ("constant", "Constant", "const Constant&", "constant_attribute"),
}
ROW_KEYS = {"compute", "infer", "write", "host", "pointwise", "mutates", "random", "prototype"}


class TableError(Exception):
    """A row that cannot be right, with its place."""


@dataclass(frozen=True)
class Prototype:
    """A REG_OP text: inputs (name, kind), outputs (name, dynamic), attributes (name, type, default)."""

    type: str
    inputs: list[tuple[str, str]]
    outputs: list[tuple[str, bool]]
    attributes: list[tuple[str, str, str | None]]


@dataclass
class Row:
    """An operator of the table."""

    type: str
    prototype: Prototype
    compute: str
    infer: str = ""
    write: str = ""
    host: dict[str, str] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)


def parse_prototype(text: str) -> Prototype:
    """Reads `REG_OP(Type) .INPUT(x, ...) ...`."""
    head = re.search(r"REG_OP\((\w+)\)", text)
    if head is None:
        raise TableError(f"no REG_OP in: {text[:60]}")
    result = Prototype(head[1], [], [], [])
    for line in re.finditer(
        r"\.([A-Z_]+)\(\s*(\w+)\s*(?:,\s*(.*?))?\)\s*(?=\.|$|\.?OP_END)", text[head.end() :], re.S
    ):
        kind, name, rest = line[1], line[2], (line[3] or "").strip()
        if kind in ("INPUT", "OPTIONAL_INPUT", "DYNAMIC_INPUT"):
            words = {"INPUT": "required", "OPTIONAL_INPUT": "optional", "DYNAMIC_INPUT": "dynamic"}
            result.inputs.append((name, words[kind]))
        elif kind in ("OUTPUT", "DYNAMIC_OUTPUT"):
            result.outputs.append((name, kind == "DYNAMIC_OUTPUT"))
        elif kind in ("ATTR", "REQUIRED_ATTR"):
            type_, _, default = rest.partition(",")
            type_ = {"int": "Int"}.get(type_.strip(), type_.strip())
            result.attributes.append((name, type_, default.strip() if kind == "ATTR" else None))
    return result


def read_prototypes(files: list[Path]) -> dict[str, Prototype]:
    """All REG_OP texts in Python files; the first one of a type counts."""
    found: dict[str, Prototype] = {}
    for file in files:
        for match in re.finditer(r'(REG_OP\(\w+\).*?)"""', file.read_text(), re.S):
            prototype = parse_prototype(match[1].replace("\\n", "\n"))
            found.setdefault(prototype.type, prototype)
    return found


def read_table(file: Path, prototypes: dict[str, Prototype]) -> tuple[list[str], list[Row]]:
    """The extra headers and the rows of one YAML file."""
    content: dict[str, Any] = yaml.safe_load(file.read_text())
    rows = []
    defaults = content.get("flags", {})
    for type_, entry in content["ops"].items():
        row = {"compute": entry} if isinstance(entry, str) else dict(entry)
        unknown = set(row) - ROW_KEYS
        if unknown or "compute" not in row:
            raise TableError(
                f"{file.name}: {type_}: {'unknown key ' + min(unknown) if unknown else 'no compute'}"
            )
        prototype = parse_prototype(row["prototype"]) if "prototype" in row else prototypes.get(type_)
        if prototype is None:
            raise TableError(
                f"{file.name}: {type_}: the installed torchair has no prototype; state it in the row"
            )
        flags = {
            name: bool(row.get(name, defaults.get(name, False)))
            for name in ("mutates", "random", "pointwise")
        }
        host = row.get("host", {})
        names = [name for name, _ in prototype.inputs]
        for name, kind in host.items():
            if name not in names or kind not in HOST_READERS:
                raise TableError(f"{file.name}: {type_}: host {name}: {kind} names no input or kind")
        rows.append(
            Row(type_, prototype, row["compute"], row.get("infer", ""), row.get("write", ""), host, flags)
        )
    return content.get("includes", []), rows


def local(name: str) -> str:
    """The C++ name of an input or attribute."""
    return f"{name}_" if name in ("else", "default", "signed", "inline") else name


def uses(name: str, text: str) -> bool:
    """Whether a C++ text has the name as a word that is no member."""
    return re.search(rf"(?<![\w.>:]){re.escape(local(name))}\b", text) is not None


def bindings(row: Row, text: str) -> list[str]:
    """Local variables for what an expression uses."""
    lines = []
    for index, (name, kind) in enumerate(row.prototype.inputs):
        if not uses(name, text):
            continue
        if name in row.host:
            readers = OPTIONAL_READERS if kind == "optional" else HOST_READERS
            type_, reader = readers[row.host[name]]
        elif kind == "optional":
            type_, reader = "const std::optional<at::Tensor>", "optional_tensor"
        elif kind == "dynamic":
            type_, reader = "const std::vector<at::Tensor>&", "tensors"
        else:
            type_, reader = "const at::Tensor&", "tensor"
        lines.append(f"    {type_} {local(name)} = call.{reader}({index});")
    for index, (name, kind, _) in enumerate(row.prototype.attributes):
        if not uses(name, text):
            continue
        _, _, type_, reader = ATTRIBUTES[kind]
        if not type_:
            raise TableError(f"{row.type}: attribute {name} of type {kind} cannot be used in expressions")
        lines.append(f"    {type_} {local(name)} = call.{reader}({index});")
    return lines


def written(row: Row, aten_ops: Path) -> str:
    """The form that writes into given outputs, where ATen has one for the CPU."""
    if row.write:
        return row.write
    match = re.fullmatch(r"at::(\w+)\((.*)\)", row.compute.strip(), re.S)
    if (
        match is None
        or row.infer
        or len(row.prototype.outputs) != 1
        or row.prototype.outputs[0][1]
        or row.flags["mutates"]
    ):
        return ""
    depth = 0
    for character in match[2]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return ""  # a larger expression
    header = aten_ops / f"{match[1]}_cpu_dispatch.h"
    if not header.exists() or not re.search(rf"\b{match[1]}_out\(", header.read_text()):
        return ""
    return f"at::{match[1]}_out(outputs[0], {match[2]})"


def default_value(kind: str, text: str) -> str:
    """A C++ expression of an attribute's default."""
    type_ = ATTRIBUTES[kind][1]
    inner = text.strip()
    numbers = {"DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT8": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 6,
               "DT_INT64": 9, "DT_DOUBLE": 11, "DT_BOOL": 12, "DT_COMPLEX64": 16, "DT_BF16": 27}  # fmt: skip
    if kind == "Int" and inner in numbers:
        return f"int64_t{{{numbers[inner]}}}"
    if kind == "Int":
        return f"int64_t{{{re.sub(r'[lL]+$', '', inner) or 0}}}"
    if kind == "Float":
        return f"float({inner.rstrip('f') or 0})"
    if kind == "Bool":
        return f"bool({ {'0': 'false', '1': 'true'}.get(inner, inner.lower() or 'false') })"
    if kind == "String":
        return (
            f"std::string({inner if inner.startswith(chr(34)) else chr(34) + inner.strip(chr(39)) + chr(34)})"
        )
    if kind == "Type":
        return f"DataType{{{numbers.get(inner.rpartition(':')[2], -1)}}}"
    values = inner.strip("{}[] ")
    if kind == "ListFloat":
        return f"{type_}{{{', '.join(f'float({v.strip()})' for v in values.split(',') if v.strip())}}}"
    if kind in ("ListInt", "ListBool"):
        return f"{type_}{{{values}}}"
    return f"{type_}{{}}"


def emit_row(row: Row, aten_ops: Path) -> str:
    """The functions and the constant of an operator."""
    t = row.type
    out = []
    for what, text in (("compute", row.compute), ("infer", row.infer)):
        if text:
            body = text if "return" in text else f"return results({text});"
            out.append(
                "\n".join(
                    [
                        f"Results {what}_{t}([[maybe_unused]] Call& call) {{",
                        *bindings(row, text),
                        f"    {body}",
                        "}",
                    ]
                )
            )
    write = written(row, aten_ops)
    if write:
        lines = bindings(row, write)
        out.append(
            "\n".join(
                [
                    f"void write_{t}([[maybe_unused]] Call& call, std::span<at::Tensor> outputs) {{",
                    *lines,
                    f"    {write};",
                    "}",
                ]
            )
        )
    p = row.prototype
    inputs = "".join(f'InputSpec{{"{n}", InputKind::{k}}}, ' for n, k in p.inputs)
    outputs = "".join(f'OutputSpec{{"{n}", {str(d).lower()}}}, ' for n, d in p.outputs)
    attributes = "".join(
        f'AttributeSpec{{"{n}", AttributeKind::{ATTRIBUTES[k][0]}, {str(d is None).lower()}, '
        + ("nullptr" if d is None else f"[]() -> Attribute {{ return {default_value(k, d)}; }}")
        + "}, "
        for n, k, d in p.attributes
    )
    out.append(f"const std::array<InputSpec, {len(p.inputs)}> inputs_{t}{{{inputs}}};")
    out.append(f"const std::array<OutputSpec, {len(p.outputs)}> outputs_{t}{{{outputs}}};")
    out.append(f"const std::array<AttributeSpec, {len(p.attributes)}> attributes_{t}{{{attributes}}};")
    flags = ", ".join(str(row.flags[name]).lower() for name in ("mutates", "random", "pointwise"))
    out.append(
        f"}}  // namespace\nextern const Operator op_{t};\n"
        f'const Operator op_{t}{{"{t}", inputs_{t}, outputs_{t}, '
        f"attributes_{t}, compute_{t}, {f'infer_{t}' if row.infer else 'nullptr'}, "
        f"{f'write_{t}' if write else 'nullptr'}, {flags}}};\nnamespace {{"
    )
    return "\n".join(out)


def emit_family(file: Path, includes: list[str], rows: list[Row], aten_ops: Path) -> str:
    """A C++ file with the operators of one YAML file."""
    rows_text = "\n\n".join(emit_row(row, aten_ops) for row in rows)
    called = re.findall(r"\bat::(\w+)\(", rows_text)
    used = sorted(
        {
            name
            for call in called
            for name in (call, call.removesuffix("_out"))
            if (aten_ops / f"{name}.h").exists()
        }
    )
    lines = [f"// Generated from {file.name}; don't edit."]
    lines += [f"#include <ATen/ops/{name}.h>" for name in used]
    lines += ["#include <array>"] + [
        f'#include "{name}"' for name in ["npu/ge/operators/operator.h", *includes]
    ]
    lines += [
        "namespace opweld::npu::graph {",
        "namespace {",
        rows_text,
        "}  // namespace",
        "}  // namespace opweld::npu::graph",
        "",
    ]
    return "\n".join(lines)


def emit_all(types: list[str]) -> str:
    """The list of all operators."""
    declared = "\n".join(f"extern const Operator op_{t};" for t in types)
    listed = ",\n    ".join(f"&op_{t}" for t in types)
    return f"""// Generated; don't edit.
#include <algorithm>
#include <array>
#include "npu/ge/operators/operator.h"
namespace opweld::npu::graph {{
{declared}
namespace {{
constexpr std::array<const Operator*, {len(types)}> kAll{{
    {listed}}};
}}  // namespace
std::span<const Operator* const> operators() noexcept {{ return kAll; }}
const Operator* find_operator(std::string_view type) noexcept {{
    constexpr auto kType = [](const Operator* op) {{ return op->type; }};
    const auto found = std::ranges::lower_bound(kAll, type, {{}}, kType);
    return found == kAll.end() || (*found)->type != type ? nullptr : *found;
}}
}}  // namespace opweld::npu::graph
"""


def main() -> int:
    """Reads the tables and writes the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--prototypes", type=Path, nargs="+", required=True)
    parser.add_argument("--aten-ops", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    prototypes = read_prototypes(arguments.prototypes)
    arguments.output.mkdir(parents=True, exist_ok=True)
    types: dict[str, str] = {}
    try:
        for file in sorted(arguments.tables.glob("*.yaml")):
            includes, rows = read_table(file, prototypes)
            for row in rows:
                if row.type in types:
                    raise TableError(f"{file.name}: {row.type} stands in {types[row.type]}, too")
                types[row.type] = file.name
            write_if_new(
                arguments.output / f"{file.stem}.cpp", emit_family(file, includes, rows, arguments.aten_ops)
            )
        write_if_new(arguments.output / "all_operators.cpp", emit_all(sorted(types)))
    except TableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def write_if_new(path: Path, text: str) -> None:
    """Leaves a file alone that has this text already, so that nothing is compiled again for nothing."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
