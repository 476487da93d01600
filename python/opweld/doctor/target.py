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


@dataclass(frozen=True)
class Options:
    """`imports` are modules to import before operators are looked up; `load` loads a folder's libraries."""

    soc: str
    imports: tuple[str, ...] = ()
    load: bool = True


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
    """Examines a target. Raises UsageError and OpweldError."""
    kind = kind_of(target)
    if target is None:
        return Examination(kind, environment.check())
    if kind == "sources":
        return Examination(kind, _sources(Path(target), options))
    if kind == "library":
        return Examination(kind, in_order(_libraries([Path(target)], [Path(target).parent], options)))
    if kind == "wheel":
        return Examination(kind, _wheel(Path(target), options))
    if kind == "package":
        return Examination(kind, _package(target, options))
    if kind == "namespace":
        return _namespace(target, options)
    request = child.Request(imports=_imports(options), operators=[target.removeprefix("torch.ops.")])
    return Examination(kind, in_order(child.run(request).findings))


def _sources(path: Path, options: Options) -> list[Finding]:
    findings = examine_sources(path, soc=options.soc)
    if path.is_dir():
        findings += _libraries(built.library_files(path), [path], options)
    return in_order(findings)


def _libraries(
    files: Sequence[Path], folders: list[Path], options: Options, environ: dict[str, str] | None = None
) -> list[Finding]:
    """The symbols of libraries; those that register with torch are then loaded in a process of their own."""
    if not files:
        return []
    functions = find_functions(folders, environ)
    findings: list[Finding] = []
    extensions = []
    for path in files:
        findings += built.examine_library(path, functions, options.soc)
        if built.is_torch_extension(built.read(path)):
            extensions.append(str(path.absolute()))
    if extensions and options.load:
        found = child.run(child.Request(libraries=extensions, new=True), environ).findings
        for name in extensions:
            found = [_renamed(item, name, display_name(Path(name))) for item in found]
        findings += found
    return findings


def _wheel(path: Path, options: Options) -> list[Finding]:
    with built.unpacked(path) as wheel:
        found = _tree(wheel.folder, wheel.package, [str(wheel.folder)], options)
    return [_renamed(item, f"{wheel.folder}/", f"{path}!") for item in found]


def _package(name: str, options: Options) -> list[Finding]:
    folders = package_folders(name)
    findings: list[Finding] = []
    for folder in folders:
        findings += _tree(folder, name, [], options)
    return in_order(findings)


def _tree(folder: Path, package: str, paths: list[str], options: Options) -> list[Finding]:
    """A built package: its sources, its libraries, and what importing it registers."""
    environ = dict(os.environ)
    vendors = vendor_folders(folder)
    environ["ASCEND_CUSTOM_OPP_PATH"] = built.path_of_vendor(vendors)
    functions = find_functions([folder], environ)
    findings = examine_sources(folder, soc=options.soc, functions=functions)
    for path in built.library_files(folder):
        findings += built.examine_library(path, functions, options.soc)
    if package:
        request = child.Request(imports=[*_imports(options), package], paths=paths, new=True)
        findings += child.run(request, environ).findings
    return in_order(findings)


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
    return Examination("namespace", answer.findings, answer.rows)
