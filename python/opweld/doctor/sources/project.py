"""All sources of one project: read, put together, and linked across files."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

from opweld.doctor.facts import Facts
from opweld.doctor.findings import Finding
from opweld.doctor.sources.op_plugin import PluginOperator, is_op_plugin, read_op_plugin
from opweld.doctor.sources.python import read_python
from opweld.doctor.sources.python_module import PythonSource
from opweld.doctor.sources.text import SourceText, read_source

CPP_SUFFIXES = {".cpp", ".cc", ".cxx", ".h", ".hpp", ".cu", ".asc"}
YAML_SUFFIXES = {".yaml", ".yml"}
IGNORED_FOLDERS = {
    ".git", "build", "dist", "__pycache__", "node_modules", ".venv", "venv", "site-packages",
    "third_party", ".tox",
    ".mypy_cache", ".ruff_cache", ".pytest_cache",
}  # fmt: skip
PROJECT_FILES = ("setup.py", "pyproject.toml")
MAX_BYTES = 1 << 20  # larger files are generated data


@dataclass
class Project:
    """The sources of one project, that is of what is loaded into one process."""

    root: Path
    facts: Facts = field(default_factory=Facts)
    python: list[PythonSource] = field(default_factory=list)
    texts: dict[str, SourceText] = field(default_factory=dict)
    specs: list[tuple[Path, str]] = field(default_factory=list)
    plugin_operators: list[PluginOperator] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    has_cpp_operators: bool = False


def read_projects(target: Path) -> list[Project]:
    """The projects in a folder, or the one of a file. Generated folders (build, dist ...) are left out."""
    if target.is_file():
        return [read_project(target.parent, [target])]
    by_root: dict[Path, list[Path]] = {}
    for path in source_files(target):
        by_root.setdefault(_root_of(path, target), []).append(path)
    return [read_project(root, files) for root, files in sorted(by_root.items())]


def source_files(folder: Path) -> list[Path]:
    """The sources below a folder, in order."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            if (
                entry.name not in IGNORED_FOLDERS
                and not entry.is_symlink()
                and not entry.name.endswith(".egg-info")
            ):
                found += source_files(entry)
        elif entry.suffix in CPP_SUFFIXES | YAML_SUFFIXES | {".py"} and entry.is_file():
            found.append(entry)
    return found


def _root_of(path: Path, target: Path) -> Path:
    """The nearest folder with a project file between `path` and `target`, else `target`."""
    for parent in path.parents:
        if any((parent / name).is_file() for name in PROJECT_FILES) or parent == target:
            return parent
    return target


def read_project(root: Path, files: list[Path]) -> Project:
    """Reads the given files as one project."""
    project = Project(root)
    for path in files:
        if path.stat().st_size > MAX_BYTES:
            continue
        name = display_name(path)
        source = read_source(path, name)
        project.texts[name] = source
        if path.suffix in CPP_SUFFIXES:
            _read_cpp(project, source)
        elif path.suffix == ".py":
            python, facts, findings = read_python(source)
            project.facts.add(facts)
            project.findings += findings
            if python is not None and python.relevant:
                project.python.append(python)
        elif is_op_plugin(source):
            operators, findings = read_op_plugin(source)
            project.plugin_operators += operators
            project.findings += findings
        elif _is_spec(source):
            project.specs.append((path, name))
    project.has_cpp_operators = any(item.language == "cpp" for item in project.facts.definitions)
    _link(project.facts)
    return project


def display_name(path: Path) -> str:
    """What reports call a file: relative to the working folder where it is below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _read_cpp(project: Project, source: SourceText) -> None:
    from opweld.doctor.sources.cpp import read_cpp

    facts, findings = read_cpp(source)
    project.facts.add(facts)
    project.findings += findings


def _is_spec(source: SourceText) -> bool:
    """Whether a YAML file is an operator spec: it has `ops` at its top."""
    content = source.content
    return any(line.startswith((b"ops:", b"- op:")) for line in content.splitlines()[:400])


def _link(facts: Facts) -> None:
    """Finds the functions of kernels that are defined in another file."""
    by_name: dict[str, list[int]] = {}
    for index, function in enumerate(facts.functions):
        by_name.setdefault(function.name.rpartition("::")[2], []).append(index)
    for index, item in enumerate(facts.implementations):
        if item.language != "cpp" or item.cpp is not None or not item.function:
            continue
        found = by_name.get(item.function.rpartition("::")[2], [])
        if len(found) == 1:
            facts.implementations[index] = dataclasses.replace(item, cpp=facts.functions[found[0]])
