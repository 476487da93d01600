"""Extension modules that Python imports and that nothing makes a module of (OW725): no PyInit_ is in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opweld.doctor.findings import Finding, Place
from opweld.doctor.sources.python_module import PythonSource

RULE = "OW725"
# Whatever makes a module in C++, macros of other libraries that do so included.
_MAKES_MODULE = re.compile(rb"MODULE\s*\(|PyMODINIT_FUNC|PyInit_|TORCH_EXTENSION_NAME|REGISTER_EXTENSION")


@dataclass(frozen=True)
class Import:
    """A module that a source may import: by its whole name, or by its path where the import is relative."""

    parts: tuple[str, ...]
    relative: bool
    place: Place


def imports_of(module: PythonSource) -> Iterator[Import]:
    """What a module imports, but for imports whose failure it handles."""
    guarded = {
        node
        for attempt in ast.walk(module.tree)
        if isinstance(attempt, ast.Try) and attempt.handlers
        for statement in attempt.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(module.tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(tuple(alias.name.split(".")), False, module.place(alias))
        elif isinstance(node, ast.ImportFrom):
            base = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                base = Path(module.source.path).parts[: -node.level] + base
            yield Import(base, bool(node.level), module.place(node))
            for alias in node.names:
                yield Import((*base, alias.name), bool(node.level), module.place(alias))


def importer(modules: Iterable[PythonSource], wanted: Callable[[Import], bool]) -> Place | None:
    """Where the first import is that is wanted."""
    places = (item.place for module in modules for item in imports_of(module) if item.parts and wanted(item))
    return next(places, None)


def makes_no_module(sources: Sequence[bytes]) -> bool:
    """Whether nothing in these C++ sources makes a Python module."""
    return bool(sources) and not any(_MAKES_MODULE.search(text) for text in sources)


def finding(place: Place, name: str, what: str, imported: Place) -> Finding:
    """The finding for the module `name`, of which `what` has no function that makes it."""
    return Finding(
        RULE,
        place,
        f"{what} has no PyInit_{name.rpartition('.')[2]}, which the import of {name} looks for",
        related=((imported, "imported here"),),
    )
