"""Writes the table of standard prototypes as C++.

usage: generate.py OUTPUT [TORCHAIR_FILE]
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from standard_prototypes import Attribute, Port, Prototype, PrototypeError, Value, read_prototypes

TORCHAIR_FILE = "dynamo/torchair/_ge_concrete_graph/auto_generated_ge_raw_ops.py"
HEAD = """// Written by generate.py from the installed torchair's prototypes.
#include "npu/ge/prototypes/standard.h"

namespace opweld::npu::prototypes::standard {

"""
PORT_KINDS = {
    "required": "PortKind::kRequired",
    "optional": "PortKind::kOptional",
    "dynamic": "PortKind::kDynamic",
}


def installed_file() -> Path:
    """Finds torchair's prototypes, without importing anything."""
    package = importlib.util.find_spec("torch_npu")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("torch_npu is not installed: run scripts/setup first")
    return Path(package.submodule_search_locations[0], TORCHAIR_FILE)


def literal(text: str) -> str:
    """Gives text as a C++ string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def value_text(value: Value | None) -> str:
    """Gives a value in the form that `parse_value` reads: 1, 1e-05, true, DT_INT32, a text, 1,2 and 1,2;3."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        separator = ";" if value and isinstance(value[0], list) else ","
        return separator.join(value_text(item) for item in value)
    return str(value)


def port_row(port: Port) -> str:
    """Gives a row of kPorts."""
    dtypes = literal(",".join(port.dtypes))
    return f"    {{{literal(port.name)}, {PORT_KINDS[port.kind]}, {dtypes}, {literal(port.symbol)}}},\n"


def attribute_row(attribute: Attribute) -> str:
    """Gives a row of kAttributes."""
    required = "true" if attribute.required else "false"
    return (
        f"    {{{literal(attribute.name)}, {literal(attribute.type)}, {required}, "
        f"{literal(value_text(attribute.default))}}},\n"
    )


def write_table(prototypes: Iterable[Prototype]) -> str:
    """Gives the C++ text: rows by type, each with its ranges of ports and attributes."""
    ports: list[str] = []
    attributes: list[str] = []
    types: list[str] = []
    for prototype in sorted(prototypes, key=lambda prototype: prototype.type.encode()):
        first = len(ports)
        ports += map(port_row, prototype.inputs)
        middle = len(ports)
        ports += map(port_row, prototype.outputs)
        begin = len(attributes)
        attributes += map(attribute_row, prototype.attributes)
        ranges = (first, middle, len(ports), begin, len(attributes))
        types.append(f"    {{{literal(prototype.type)}, {', '.join(map(str, ranges))}}},\n")
    return (
        f"{HEAD}const PortRow kPorts[] = {{\n{''.join(ports)}}};\n\n"
        f"const AttributeRow kAttributes[] = {{\n{''.join(attributes)}}};\n\n"
        f"const TypeRow kTypes[] = {{\n{''.join(types)}}};\n\n"
        f"const std::size_t kTypeCount = {len(types)};\n\n"
        "}  // namespace opweld::npu::prototypes::standard\n"
    )


def main(arguments: list[str]) -> None:
    """Reads the prototypes and writes the table."""
    if len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    source = Path(arguments[1]) if len(arguments) == 2 else installed_file()
    try:
        prototypes = read_prototypes(source)
    except (OSError, PrototypeError) as error:
        raise SystemExit(f"generate.py: {error}") from None
    output = Path(arguments[0])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(write_table(prototypes.values()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
