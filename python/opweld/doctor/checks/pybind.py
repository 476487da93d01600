"""Modules that C++ makes with pybind: their name, and what Python takes from them (OW723 to OW725)."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from opweld.doctor.checks import module_init
from opweld.doctor.facts import BoundModule, Facts
from opweld.doctor.findings import Edit, Finding, Place
from opweld.doctor.sources.python_module import PythonSource, parse
from opweld.doctor.sources.text import SourceText

BY_BUILD = "TORCH_EXTENSION_NAME"
_TORCH_BUILDERS = {"CppExtension", "CUDAExtension", "NpuExtension", "load", "load_inline"}
_BUILDERS = _TORCH_BUILDERS | {"Extension", "Pybind11Extension"}


@dataclass(frozen=True)
class Build:
    """A module that setup.py, or torch's just-in-time build, makes."""

    name: str
    files: tuple[str, ...]  # the ends of paths; empty where they are not written out
    by_torch: bool  # whether the compiler is told TORCH_EXTENSION_NAME
    place: Place


def check(facts: Facts, texts: dict[str, SourceText]) -> list[Finding]:
    """All findings of these rules."""
    if not facts.modules and not any(b"cpp_extension" in source.content for source in texts.values()):
        return []
    modules = [module for module in map(_parsed, texts.values()) if module is not None]
    builds = [build for module in modules for build in _builds(module)]
    findings = [item for build in builds for item in _not_made(build, modules, texts)]
    by_name: dict[str, BoundModule] = {}
    for bound in facts.modules:
        build = _build_of(bound, builds)
        if build is not None and bound.name not in (BY_BUILD, _last(build.name)):
            findings.append(_misnamed(bound, build))
        name = build.name if build is not None else bound.name
        if name != BY_BUILD:
            by_name[name] = bound
    for module in modules:
        findings += _missing(module, by_name, facts)
    return findings


def _parsed(source: SourceText) -> PythonSource | None:
    return parse(source) if source.path.endswith(".py") else None


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _builds(module: PythonSource) -> Iterator[Build]:
    for call in ast.walk(module.tree):
        if not isinstance(call, ast.Call) or _last(module.dotted(call.func)) not in _BUILDERS:
            continue
        given = {item.arg: item.value for item in call.keywords}
        name = given.get("name", call.args[0] if call.args else None)
        sources = given.get("sources", call.args[1] if len(call.args) > 1 else None)
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            listed = sources.elts if isinstance(sources, ast.List | ast.Tuple) else []
            files = [
                item.value
                for item in listed
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            ]
            whole = bool(files) and len(files) == len(listed)
            by_torch = _last(module.dotted(call.func)) in _TORCH_BUILDERS
            yield Build(name.value, tuple(files) if whole else (), by_torch, module.place(name))


def _build_of(bound: BoundModule, builds: list[Build]) -> Build | None:
    """The one build that compiles the module's source; None where that is not certain."""
    subject = "/" + bound.place.subject
    sure = [
        build for build in builds if any(subject.endswith("/" + file.lstrip("./")) for file in build.files)
    ]
    if not sure and len(builds) == 1 and not builds[0].files:
        sure = builds
    return sure[0] if len(sure) == 1 else None


def _not_made(build: Build, modules: list[PythonSource], texts: dict[str, SourceText]) -> Iterator[Finding]:
    """An import of what is built of sources that make no module; headers of the project may make it, too."""
    cpp = {path: text.content for path, text in texts.items() if not path.endswith((".py", ".yaml", ".yml"))}
    ends = ["/" + file.lstrip("./") for file in build.files]
    all_read = all(any(f"/{path}".endswith(end) for path in cpp) for end in ends)
    if not ends or not all_read or not module_init.makes_no_module(list(cpp.values())):
        return
    parts = tuple(build.name.split("."))
    imported = module_init.importer(
        modules,
        lambda item: item.parts[-len(parts) :] == parts if item.relative else item.parts == parts,
    )
    if imported is not None:
        yield module_init.finding(
            build.place, build.name, f"what is built of {', '.join(build.files)}", imported
        )


def _misnamed(bound: BoundModule, build: Build) -> Finding:
    wanted = BY_BUILD if build.by_torch else _last(build.name)
    edit = Edit(bound.place.subject, bound.place.start, bound.place.end, wanted)
    return Finding(
        "OW723",
        bound.place,
        f"this makes the module {bound.name} (PyInit_{bound.name}), but the build calls it {build.name}: its "
        f"import looks for PyInit_{_last(build.name)}",
        fix=f"Write {wanted}.",
        related=((build.place, "built under this name"),),
        edits=(edit,),
    )


def _missing(module: PythonSource, by_name: dict[str, BoundModule], facts: Facts) -> Iterator[Finding]:
    imported = _imported(module.tree, by_name)
    rebound = {
        node.id
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            variable = ast.unparse(node.value)
            bound = by_name.get(imported.get(variable, ""))
            if bound is not None and variable not in rebound:
                yield from _missing_one(
                    node.attr, imported[variable], bound, _attribute_place(module, node), facts
                )
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module in by_name:
            for alias in node.names:
                if alias.name != "*":
                    place = module.place(alias)
                    yield from _missing_one(alias.name, node.module, by_name[node.module], place, facts)


def _imported(tree: ast.Module, by_name: dict[str, BoundModule]) -> dict[str, str]:
    """What stands for a bound module: a name, or a dotted one."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: alias.name for alias in node.names if alias.name in by_name}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                ends = f"{node.module}.{alias.name}" if node.module else alias.name
                whole = [
                    name for name in by_name if name == ends or (node.level and name.endswith("." + ends))
                ]
                if len(whole) == 1:
                    found[alias.asname or alias.name] = whole[0]
    return found


def _attribute_place(module: PythonSource, node: ast.Attribute) -> Place:
    end = module.source.offset(node.end_lineno or 1, node.end_col_offset or 0)
    return module.source.place(end - len(node.attr.encode()), end)


def _missing_one(name: str, whole: str, bound: BoundModule, place: Place, facts: Facts) -> Iterator[Finding]:
    if bound.is_open or name in bound.attributes or name.startswith("__"):
        return
    operator = next((item for item in facts.definitions if item.name == name), None)
    near = difflib.get_close_matches(name, sorted(bound.attributes), n=1, cutoff=0.6)
    hint, fix = "", ""
    if operator is not None:
        fix = f"Write torch.ops.{operator.namespace}.{name}."
        hint = f"; {operator.namespace}::{name} is an operator"
    elif near:
        fix, hint = f"Write {near[0]}.", f"; did you mean {near[0]!r}?"
    yield Finding(
        "OW724",
        place,
        f"the module {whole} has no {name!r}{hint}",
        fix=fix,
        related=((bound.place, "the module is made here"),),
    )
