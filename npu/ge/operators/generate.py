"""Writes the table of graph operators as C++: one file for each table/*.yaml, and the list of all.

A row is an operator type and C++ expressions over the names of its prototype; see README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "prototypes"))
from standard_prototypes import (
    TYPES_HEADER,
    Prototype,
    PrototypeError,
    Value,
    read_prototype,
    read_prototypes,
)
from standard_prototypes import Attribute as PrototypeAttribute

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
    "VT_INT": ("integer", "int64_t", "const int64_t", "integer_attribute"),
    "VT_FLOAT": ("real", "float", "const double", "real_attribute"),
    "VT_BOOL": ("boolean", "bool", "const bool", "bool_attribute"),
    "VT_STRING": ("text", "std::string", "const std::string&", "text_attribute"),
    "VT_DATA_TYPE": ("dtype", "DataType", "const at::ScalarType", "dtype_attribute"),
    "VT_LIST_INT": (
        "integers",
        "std::vector<int64_t>",
        "const std::vector<int64_t>&",
        "integers_attribute",
    ),
    "VT_LIST_FLOAT": ("reals", "std::vector<float>", "const std::vector<double>", "reals_attribute"),
    "VT_LIST_BOOL": ("booleans", "std::vector<bool>", "const std::vector<bool>&", "bools_attribute"),
    "VT_LIST_STRING": ("texts", "std::vector<std::string>", "", ""),
    "VT_LIST_LIST_INT": (
        "nested_integers",
        "std::vector<std::vector<int64_t>>",
        "const std::vector<std::vector<int64_t>>&",
        "nested_attribute",
    ),
    "VT_TENSOR": ("constant", "Constant", "const Constant&", "constant_attribute"),
}
DTYPE_NUMBERS = {
    name: int(number)
    for name, number in re.findall(r"\b(DT_\w+) = (\d+)", TYPES_HEADER.read_text(encoding="utf-8"))
}
ROW_KEYS = {"compute", "infer", "write", "host", "pointwise", "mutates", "random", "prototype"}


class TableError(Exception):
    """A row that cannot be right, with its place."""


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


def row_prototype(text: str) -> Prototype:
    """Reads the prototype of a row, whose parts stand in one line."""
    return read_prototype(re.sub(r"\s+\.(?=[A-Z_]+\()", "\n.", text))


def expanded(ops: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """All rows; one with `each` stands for a row of each entry, whose names {N} and {f} become."""
    rows = []
    for type_, entry in ops.items():
        row = {"compute": entry} if isinstance(entry, str) else dict(entry)
        each = row.pop("each", [""])
        for name, function in each.items() if isinstance(each, dict) else ((name, "") for name in each):
            texts = {
                key: value.replace("{N}", name).replace("{f}", function) if isinstance(value, str) else value
                for key, value in row.items()
            }
            rows.append((type_.replace("{N}", name), texts))
    return rows


def read_table(file: Path, prototypes: dict[str, Prototype]) -> tuple[list[str], list[Row]]:
    """The extra headers and the rows of one YAML file."""
    content: dict[str, Any] = yaml.safe_load(file.read_text())
    rows = []
    defaults = content.get("flags", {})
    for type_, row in expanded(content["ops"]):
        unknown = set(row) - ROW_KEYS
        if unknown:
            raise TableError(f"{file.name}: {type_}: unknown key {min(unknown)}")
        if "compute" not in row and not {"infer", "write"} <= set(row):
            raise TableError(f"{file.name}: {type_}: neither compute nor infer and write")
        prototype = row_prototype(row["prototype"]) if "prototype" in row else prototypes.get(type_)
        if prototype is None:
            raise TableError(
                f"{file.name}: {type_}: the installed torchair has no prototype; state it in the row"
            )
        flags = {
            name: bool(row.get(name, defaults.get(name, False)))
            for name in ("mutates", "random", "pointwise")
        }
        host: dict[str, str] = row.get("host", {})
        names = [port.name for port in prototype.inputs]
        for name, kind in host.items():
            if name not in names or kind not in HOST_READERS:
                raise TableError(f"{file.name}: {type_}: host {name}: {kind} names no input or kind")
        rows.append(
            Row(
                type_,
                prototype,
                row.get("compute", ""),
                row.get("infer", ""),
                row.get("write", ""),
                host,
                flags,
            )
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
    for index, port in enumerate(row.prototype.inputs):
        name, kind = port.name, port.kind
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
    for index, attribute in enumerate(row.prototype.attributes):
        if not uses(attribute.name, text):
            continue
        _, _, type_, reader = ATTRIBUTES[attribute.type]
        if not type_:
            raise TableError(f"{row.type}: attribute {attribute.name} cannot be used in expressions")
        lines.append(f"    {type_} {local(attribute.name)} = call.{reader}({index});")
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
        or row.prototype.outputs[0].kind == "dynamic"
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


def literal(value: Value) -> str:
    """A C++ literal."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return f"{{{', '.join(literal(item) for item in value)}}}"
    return repr(value)


def default_value(attribute: PrototypeAttribute) -> str:
    """A C++ expression of an attribute's default."""
    type_ = ATTRIBUTES[attribute.type][1]
    value = attribute.default
    if attribute.type in ("VT_INT", "VT_DATA_TYPE") and isinstance(value, str):
        value = DTYPE_NUMBERS[value]
    if value is None or attribute.type == "VT_TENSOR":
        return f"{type_}{{}}"
    if attribute.type == "VT_FLOAT":
        return f"static_cast<float>({literal(value)})"
    if attribute.type == "VT_LIST_FLOAT" and isinstance(value, list):
        return f"{type_}{{{', '.join(f'static_cast<float>({literal(item)})' for item in value)}}}"
    return f"{type_}{literal(value)}" if isinstance(value, list) else f"{type_}{{{literal(value)}}}"


def emit_row(row: Row, aten_ops: Path) -> str:
    """The functions and the constant of an operator."""
    t = row.type
    out = []
    for what, text in (("compute", row.compute), ("infer", row.infer)):
        if text:
            body = text if text.rstrip().endswith(";") else f"return results({text});"
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
    if not row.compute:
        out.append(f"void write_{t}(Call& call, std::span<at::Tensor> outputs);")
        out.append(
            f"Results compute_{t}(Call& call) {{\n    Results outputs = infer_{t}(call);\n"
            f"    write_{t}(call, outputs);\n    return outputs;\n}}"
        )
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
    inputs = "".join(f'InputSpec{{"{port.name}", InputKind::{port.kind}}}, ' for port in p.inputs)
    outputs = "".join(
        f'OutputSpec{{"{port.name}", {literal(port.kind == "dynamic")}}}, ' for port in p.outputs
    )
    attributes = "".join(
        f'AttributeSpec{{"{attribute.name}", AttributeKind::{ATTRIBUTES[attribute.type][0]}, '
        f"{literal(attribute.required)}, "
        + ("nullptr" if attribute.required else f"[]() -> Attribute {{ return {default_value(attribute)}; }}")
        + "}, "
        for attribute in p.attributes
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
    parser.add_argument("--prototypes", type=Path, required=True)
    parser.add_argument("--aten-ops", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    types: dict[str, str] = {}
    try:
        prototypes = read_prototypes(arguments.prototypes)
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
    except (TableError, PrototypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def write_if_new(path: Path, text: str) -> None:
    """Leaves a file alone that has this text already, so that nothing is compiled again for nothing."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
