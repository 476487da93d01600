"""A Python module as the checks see it: its tree, what its names stand for, and which nodes may never run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from opweld.doctor.facts import PythonFunction
from opweld.doctor.findings import Place
from opweld.doctor.sources.text import SourceText


@dataclass
class PythonSource:
    """One module: its tree, and the functions that play a part."""

    source: SourceText
    tree: ast.Module
    names: dict[
        str, str
    ]  # what an imported name stands for: `register_fake` -> `torch.library.register_fake`
    relevant: bool = True  # whether any word is in it that the checks look for
    fakes: list[tuple[str, PythonFunction, Place]] = field(default_factory=list)
    backwards: list[tuple[str, PythonFunction, Place]] = field(default_factory=list)

    def place(self, node: ast.AST) -> Place:
        """The place of a node."""
        start = self.source.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self.source.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return self.source.place(start, end)

    def dotted(self, node: ast.expr | None) -> str:
        """The full dotted name of an expression, or "": `torch.library.register_fake`."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.names.get(node.id, node.id), *reversed(parts)])


def parse(source: SourceText) -> PythonSource | None:
    """A module's tree and imported names; None where it is no Python (OW721 tells of it)."""
    try:
        tree = ast.parse(source.content, source.path)
    except (SyntaxError, ValueError):
        return None
    return PythonSource(source, tree, imported_names(tree))


def is_script(source: SourceText, tree: ast.Module) -> bool:
    """Whether the module is run by itself, in a process of its own: a program or a test."""
    name = source.path.rpartition("/")[2]
    if name.startswith("test_") or name.endswith("_test.py"):
        return True
    return any(isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in tree.body)


def imported_names(tree: ast.Module) -> dict[str, str]:
    """What imported names stand for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    names[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def conditional_nodes(tree: ast.Module) -> set[ast.AST]:
    """The nodes inside functions, conditions, loops and try blocks: they may run never, or more than once."""
    inner: set[ast.AST] = set()
    outer = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.If,
        ast.Try,
        ast.For,
        ast.While,
        ast.ClassDef,
        ast.Lambda,
    )
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, inside = stack.pop()
        if inside:
            inner.add(node)
        opens = isinstance(node, outer)
        for name, value in ast.iter_fields(node):
            below = inside or (opens and name in ("body", "orelse", "handlers", "finalbody"))
            children = value if isinstance(value, list) else [value]
            stack += [(child, below) for child in children if isinstance(child, ast.AST)]
    return inner
