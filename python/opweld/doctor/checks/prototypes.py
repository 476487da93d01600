"""Prototypes in C++ sources: REG_OP without an InferShape function, defaults unlike the schema's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from opweld.doctor.facts import Definition, Facts
from opweld.doctor.findings import Finding, Place
from opweld.doctor.sources.text import SourceText

_REG_OP = re.compile(rb"\bREG_OP\s*\(\s*(\w+)\s*\)(.*?)\bOP_END_FACTORY_REG\s*\(", re.DOTALL)
_ATTR = re.compile(rb"\.\s*ATTR\s*\(\s*(\w+)\s*,\s*(\w+)\s*,\s*([^()]*?)\s*\)")
_INFER = re.compile(rb"\b(?:COMMON_INFER_FUNC_REG|INFER_FUNC_REG|IMPL_OP_INFERSHAPE|IMPL_OP)\s*\(\s*(\w+)\b")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hpp")


@dataclass
class _Prototype:
    type: str
    place: Place
    defaults: dict[str, tuple[str, Place]] = field(default_factory=dict)


def check(facts: Facts, texts: dict[str, SourceText]) -> list[Finding]:
    """The faults of a project's prototypes."""
    prototypes: list[_Prototype] = []
    inferred: set[str] = set()
    for name, text in texts.items():
        if not name.endswith(_SUFFIXES):
            continue
        # Blanks keep the offsets.
        code = _COMMENT.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), text.content)
        prototypes += _prototypes(code, text)
        inferred |= {found[1].decode() for found in _INFER.finditer(code)}
    findings = [
        Finding("OW862", item.place, f"{item.type} has a prototype, but no InferShape function")
        for item in prototypes
        if item.type not in inferred
    ]
    by_type = {_type_of(definition.name): definition for definition in facts.definitions}
    for item in prototypes:
        if item.type in by_type:
            findings += _defaults(item, by_type[item.type])
    return findings


def _prototypes(code: bytes, text: SourceText) -> Iterator[_Prototype]:
    for found in _REG_OP.finditer(code):
        item = _Prototype(found[1].decode(), text.place(found.start(1), found.end(1)))
        for attribute in _ATTR.finditer(code, found.start(2), found.end(2)):
            place = text.place(attribute.start(3), attribute.end(3))
            item.defaults[attribute[1].decode()] = (attribute[3].decode("utf-8", "replace"), place)
        yield item


def _type_of(name: str) -> str:
    """The type that torchair looks for: MyOp for my_op."""
    return "".join(word.capitalize() for word in name.split("_"))


def _defaults(item: _Prototype, definition: Definition) -> Iterator[Finding]:
    if definition.schema is None:
        return
    for argument in definition.schema.arguments:
        if argument.name not in item.defaults or not argument.default:
            continue
        theirs, place = item.defaults[argument.name]
        if not _same(argument.default, theirs):
            yield Finding(
                "OW863",
                place,
                f"{item.type} has {argument.name} = {theirs} by default, {definition.qualified} has "
                f"{argument.default}",
                related=((definition.place, "the schema"),),
            )


def _same(ours: str, theirs: str) -> bool:
    """Whether two defaults say the same; what cannot be read counts as the same."""
    first, second = _number(ours), _number(theirs)
    if first is None or second is None:
        return True
    return math.isclose(first, second, rel_tol=1e-6)


def _number(text: str) -> float | None:
    lowered = text.strip().lower()
    if lowered in ("true", "false"):
        return float(lowered == "true")
    try:
        return float(lowered.rstrip("f") if not lowered.startswith(("inf", "-inf")) else lowered)
    except ValueError:
        return None
