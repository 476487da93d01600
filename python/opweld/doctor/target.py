"""What `opweld doctor TARGET` was asked to examine, and the examination of each kind."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from opweld import vendor
from opweld.abi.package import package_folders
from opweld.doctor import built, child
from opweld.doctor.checks import environment
from opweld.doctor.examine import examine_sources
from opweld.doctor.findings import Finding, in_order
from opweld.doctor.functions import find_functions, vendor_folders
from opweld.doctor.project_state import built_projects, unbuilt
from opweld.doctor.scope import Scope
from opweld.doctor.sources.project import CPP_SUFFIXES, YAML_SUFFIXES, display_name
from opweld.errors import UsageError

Kind = Literal["environment", "sources", "library", "wheel", "package", "operator", "namespace"]
_NAMESPACES = {"npu", "aten"}  # also where there is a folder of that name: that is ./npu
_SOURCES = CPP_SUFFIXES | YAML_SUFFIXES | {".py"}


@dataclass
class Examination:
    """The findings, and, for a namespace, the table of its operators."""

    kind: Kind
    findings: list[Finding] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True)
class Options:
    """`imports` are modules to import before operators are looked up; `load` loads a folder's libraries.

    `graph` asks for operators that can be used in torchair's graphs.
    """

    soc: str
    imports: tuple[str, ...] = ()
    load: bool = True
    graph: bool = False


def kind_of(target: str | None) -> Kind:
    """What a target is. Raises UsageError where it is nothing of all that."""
    if target is None:
        return "environment"
    if target in _NAMESPACES:
        return "namespace"
    path = Path(target)
    if path.is_dir():
        return "sources"
    if path.is_file():
        return _kind_of_file(path)
    bare = target.removeprefix("torch.ops.")
    if path.suffix in _SOURCES | {".whl", ".so"} or "/" in target or path.exists():
        raise UsageError(f"there is no file or folder {target}")
    if re.fullmatch(r"[A-Za-z_]\w*(::|\.)[A-Za-z_]\w*(\.\w+)?", bare):
        return "operator"
    if re.fullmatch(r"[A-Za-z_]\w*", target):
        return "package" if package_folders(target) else "namespace"
    raise UsageError(
        f"{target!r} is no file, folder, package, namespace or operator; an operator is written ns::name"
    )


def _kind_of_file(path: Path) -> Kind:
    if path.suffix == ".whl":
        return "wheel"
    if built.LIBRARY.search(path.name):
        return "library"
    if path.suffix in _SOURCES:
        return "sources"
    raise UsageError(f"{path} is no source (Python, C++, YAML), library or wheel")


def examine(target: str | None, options: Options) -> Examination:
    """Examines a target. Raises UsageError, also where there is nothing to examine, and OpweldError."""
    kind = kind_of(target)
    scope = Scope()
    if target is None:
        scope.environment = True
        return Examination(kind, environment.check(), scope=scope)
    if kind == "namespace":
        return _namespace(target, options)
    if kind == "sources":
        findings = _sources(Path(target), options, scope)
    elif kind == "library":
        findings = _libraries([Path(target)], Path(target).parent, options, scope)
    elif kind == "wheel":
        findings = _wheel(Path(target), options, scope)
    elif kind == "package":
        findings = _package(target, options, scope)
    else:
        name = target.removeprefix("torch.ops.")
        findings = child.run(
            child.Request(imports=_imports(options), operators=[name], graph=options.graph)
        ).findings
        scope.operators.append(name)
    if scope.empty and not findings:
        raise UsageError(
            f"nothing to examine in {target}: no source (Python, C++, YAML), library or wheel is there"
        )
    return Examination(kind, in_order(findings), scope=scope)


def _sources(path: Path, options: Options, scope: Scope) -> list[Finding]:
    if not path.is_dir():
        return examine_sources(path, soc=options.soc, scope=scope)
    if re.fullmatch(r"[A-Za-z_]\w*", str(path)) and package_folders(str(path)):
        scope.notes.append(
            f"the folder {path} is examined, not the installed package of that name (for that, call opweld "
            "doctor in another folder)"
        )
    projects = built_projects(path, scope.notes)
    libraries = [
        file for file in built.library_files(path) if not any(project.holds(file) for project in projects)
    ]
    vendors = [folder for project in projects for folder in vendor_folders(project.root)]
    environ = dict(os.environ)
    if vendors:
        environ["ASCEND_CUSTOM_OPP_PATH"] = built.path_of_vendor(vendors)
    functions = find_functions([path], environ)
    findings = examine_sources(path, soc=options.soc, functions=functions, scope=scope)
    scope.notes += unbuilt(path, projects, len(libraries)) if scope.sources else []
    findings += built.examine_modules(libraries, path)
    findings += _libraries(libraries, path, options, scope)
    for project in projects:
        findings += _wheel(project.wheel, options, scope, sources=False)
    return findings


def _libraries(files: Sequence[Path], folder: Path, options: Options, scope: Scope) -> list[Finding]:
    """The symbols of libraries; those that register with torch are then loaded in a process of their own.

    Where the folder has vendor packages, that process finds no others but what the user put on the path.
    """
    if not files:
        return []
    own = vendor_folders(folder)
    functions = find_functions([folder], installed=not own)
    findings: list[Finding] = []
    extensions = []
    for path in files:
        findings += built.examine_library(path, functions, options.soc)
        if built.is_torch_extension(built.read(path)):
            extensions.append(str(path.absolute()))
    scope.libraries += len(files)
    scope.notes += built.unseen(files) if not scope.sources else []
    if extensions and options.load:
        vendors = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "") if own else None
        request = child.Request(
            imports=list(options.imports), libraries=extensions, new=True, graph=options.graph
        )
        answer = child.run(request, vendors=vendors)
        scope.operators += answer.operators
        found = answer.findings
        for name in extensions:
            found = [_renamed(item, name, display_name(Path(name))) for item in found]
        findings += found
    return findings


def _wheel(path: Path, options: Options, scope: Scope, *, sources: bool = True) -> list[Finding]:
    with built.unpacked(path) as wheel:
        found = _tree(wheel.folder, wheel.package, [str(wheel.folder)], options, scope, sources=sources)
    return [_renamed(item, f"{wheel.folder}/", f"{display_name(path)}!") for item in found]


def _package(name: str, options: Options, scope: Scope) -> list[Finding]:
    findings: list[Finding] = []
    for folder in package_folders(name):
        findings += _tree(folder, name, [], options, scope)
    return findings


def _tree(
    folder: Path, package: str, paths: list[str], options: Options, scope: Scope, *, sources: bool = True
) -> list[Finding]:
    """A built package: its sources, its libraries, and what importing it registers.

    The process that imports it finds the package's own vendor libraries, and those of the modules that the
    user named for import.
    """
    named = [
        item.folder
        for item in vendor.installed()
        if item.folder and item.distribution.replace("-", "_") in options.imports
    ]
    vendors = built.path_of_vendor([*vendor_folders(folder), *named])
    environ = {**os.environ, "ASCEND_CUSTOM_OPP_PATH": vendors}
    functions = find_functions([folder], environ, installed=False)
    findings = []
    if sources:
        findings += examine_sources(folder, soc=options.soc, functions=functions, scope=scope)
    libraries = built.library_files(folder)
    for path in libraries:
        findings += built.examine_library(path, functions, options.soc)
    findings += built.examine_modules(libraries, folder)
    scope.libraries += len(libraries)
    scope.notes += built.unseen(libraries) if not scope.sources else []
    if package and options.load:
        request = child.Request(
            imports=list(options.imports), packages=[package], paths=paths, new=True, graph=options.graph
        )
        try:
            answer = child.run(request, environ, vendors)
        except child.ImportFailed as error:
            if not findings:
                raise
            scope.notes.append(f"no operators examined: {error}")
            return findings
        scope.operators += answer.operators
        findings += answer.findings
    return findings


def _renamed(item: Finding, folder: str, name: str) -> Finding:
    place = replace(item.place, subject=item.place.subject.replace(folder, name))
    return replace(item, place=place, message=item.message.replace(folder, name), edits=())


def _imports(options: Options) -> list[str]:
    """The modules to import: those that were named, and all installed operator packages of opweld."""
    packages = [
        package.distribution.replace("-", "_") for package in vendor.installed() if not package.problem
    ]
    return list(dict.fromkeys([*options.imports, *(name for name in packages if package_folders(name))]))


def _namespace(name: str, options: Options) -> Examination:
    imports = list(options.imports) if name in _NAMESPACES else _imports(options)
    answer = child.run(child.Request(imports=imports, namespace=name))
    if not answer.rows and not answer.findings:
        raise UsageError(
            f"no operator is in a namespace {name!r}, and there is no file, folder or package of that name; "
            "--import MODULE imports the package that registers them"
        )
    scope = Scope(operators=[row["operator"] for row in answer.rows])
    return Examination("namespace", answer.findings, answer.rows, scope)
