"""Reads operator YAML in op-plugin's form: `official`, `custom` ... lists of entries with `func`."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any

import yaml

from opweld.doctor.findings import Finding, Place
from opweld.doctor.schema import Schema, SchemaError, parse_schema
from opweld.doctor.sources.text import SourceText

_SECTIONS = ("official", "custom", "custom_autograd", "symint", "quant")
_TOP = re.compile(rb"^(?:official|custom|custom_autograd|symint|quant)\s*:", re.MULTILINE)
_KNOWN = {
    "func", "op_api", "acl_op", "sparse", "op_plugin", "exposed", "gen_opapi", "structured_inherit",
    "device_check",
    "tags", "wrap_impl", "cache", "internal_format_opapi", "name", "result", "impl_ns", "dispatch",
    "device_guard",
    "autogen", "bind_name", "deprecated", "replace", "variants", "manual_cpp_binding", "precomputed",
    "structured",
    "cpp_no_default_args", "version", "symint", "sequence",
}  # fmt: skip


@dataclass(frozen=True)
class PluginOperator:
    """One entry; `namespaces` are those of its C++ functions, `always` those for all versions."""

    name: str
    schema: Schema
    namespaces: tuple[str, ...]
    always: frozenset[str]
    section: str
    place: Place
    generated: bool


def is_op_plugin(source: SourceText) -> bool:
    """Whether a YAML file is of this form."""
    return bool(_TOP.search(source.content))


def read_op_plugin(source: SourceText) -> tuple[list[PluginOperator], list[Finding]]:
    """The operators, and what is wrong with the file itself."""
    text = source.content.decode("utf-8", "replace")
    offsets = _byte_offsets(text)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = source.place(offsets(mark.index)) if mark else Place(source.path, 1, 1)
        told = error.problem or error.context or "the YAML is malformed"
        return [], [Finding("OW714", place, f"the YAML cannot be read: {told}")]
    reader = _Reader(source, offsets)
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value in _SECTIONS and isinstance(value, yaml.SequenceNode):
                reader.section = key.value
                for entry in value.value:
                    reader.entry(entry)
    return reader.operators, reader.findings


class _Reader:
    def __init__(self, source: SourceText, offsets: Any) -> None:
        self.source = source
        self.offsets = offsets
        self.section = ""
        self.operators: list[PluginOperator] = []
        self.findings: list[Finding] = []

    def place(self, node: yaml.Node) -> Place:
        return self.source.place(self.offsets(node.start_mark.index), self.offsets(node.end_mark.index))

    def entry(self, node: yaml.Node) -> None:
        if not isinstance(node, yaml.MappingNode):
            self.findings.append(
                Finding("OW714", self.place(node), "an entry is a mapping with 'func', not a plain value")
            )
            return
        keys = {key.value: (key, value) for key, value in node.value}
        misspelt: list[str] = []
        for name, (key, _) in keys.items():
            near = [] if name in _KNOWN else difflib.get_close_matches(name, sorted(_KNOWN), n=1, cutoff=0.8)
            if near and near[0] not in keys:  # other keys may be a newer op-plugin's
                told = f"an entry has no key {name!r}; did you mean {near[0]!r}?"
                self.findings.append(Finding("OW714", self.place(key), told))
                misspelt.append(near[0])
        if "func" not in keys:
            if "func" not in misspelt:
                self.findings.append(Finding("OW714", self.place(node), "the entry has no 'func'"))
            return
        value = keys["func"][1]
        try:
            schema = parse_schema(str(value.value))
        except SchemaError as error:
            place = self.place(value)
            self.findings.append(
                Finding("OW708", place, f"the schema {value.value!r} cannot be read: {error}")
            )
            return
        namespaces = tuple(name for name in ("op_api", "acl_op") if name in keys)
        generated = "gen_opapi" in keys or "structured_inherit" in keys or "wrap_impl" in keys
        always = frozenset(name for name in namespaces if keys[name][1].value == "all_version")
        self.operators.append(
            PluginOperator(
                schema.name, schema, namespaces, always, self.section, self.place(value), generated
            )
        )


def _byte_offsets(text: str) -> Any:
    if text.isascii():
        return lambda index: index
    return lambda index: len(text[:index].encode())
