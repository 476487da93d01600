"""op-plugin's YAML against the C++ sources beside it (OW713, OW722, and OW702 within the YAML)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from opweld.doctor.facts import Facts
from opweld.doctor.findings import Finding
from opweld.doctor.sources.op_plugin import PluginOperator


def check(operators: list[PluginOperator], facts: Facts) -> list[Finding]:
    """All findings of these rules."""
    return [*_functions(operators, facts), *_schemas(operators, facts), *_twice(operators)]


def _functions(operators: list[PluginOperator], facts: Facts) -> Iterator[Finding]:
    functions = {item.name.rpartition("::")[2] for item in facts.functions}
    names = {item.name for item in operators}
    for item in operators:
        if item.generated or not item.namespaces or item.name in functions:
            continue
        near = difflib.get_close_matches(item.name, sorted(functions - names), n=1, cutoff=0.85)
        if near and not near[0].startswith(f"{item.name}_"):  # _out, _symint ...: of another kind
            namespace = item.namespaces[0]
            yield Finding(
                "OW713",
                item.place,
                f"{item.name} has no C++ function {namespace}::{item.name}; there is {near[0]}",
                fix=f"Call the function {item.name}, or the YAML's operator {near[0]}.",
            )


def _schemas(operators: list[PluginOperator], facts: Facts) -> Iterator[Finding]:
    in_code = {item.name: item for item in facts.definitions if item.schema is not None}
    for item in operators:
        other = in_code.get(item.name)
        if other is None or other.schema is None or other.schema.key == item.schema.key:
            continue
        if other.overload != item.schema.overload:
            continue
        yield Finding(
            "OW722",
            item.place,
            f"the schema of {item.name} is another one than that of {other.place}",
            related=((other.place, "the other schema"),),
        )


def _twice(operators: list[PluginOperator]) -> Iterator[Finding]:
    first: dict[tuple[str, str, str, str], PluginOperator] = {}
    for item in operators:
        if not item.always:
            continue  # the entries may be for different versions
        known = first.setdefault((item.place.subject, item.section, item.name, item.schema.overload), item)
        if known is not item:
            yield Finding(
                "OW702",
                item.place,
                f"{item.name} is defined a second time; line {known.place.line} defines it",
            )
