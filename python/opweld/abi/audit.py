"""The audit: each CANN symbol that a package needs, and what the software NPU does about it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from opweld.abi.elf import Library, read_library
from opweld.abi.package import Package, package_folders, read_package
from opweld.abi.software import SoftwareNpu, read_software
from opweld.errors import OpweldError
from opweld.home import software_home

# Names that a program may look up in CANN's libraries.
_CANN_NAME = re.compile(
    r"(acl|aclrt|aclmdl|aclop|aclprof|aclsys|acltdt)[A-Z]\w*|aclrt\w+|Hc(cl|om|omm)[A-Z]\w*|Msprof[A-Z]\w*"
    r"|rt[A-Z]\w+|G[eE][A-Z][a-z]\w+|GetRegisteredIrDef"
)
_PHASE_ONE = "GetWorkspaceSize"
_RUN_TIME = re.compile(r"(ld-linux\S*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|util))\.so(\.\d+)*")
_PYTHON = re.compile(r"_?Py[A-Z_]\w*")


@dataclass
class Need:
    """One symbol that is needed, or looked up."""

    symbol: str
    name: str
    status: str  # implemented, no-op, fails, absent (on purpose), missing
    library: str  # the software NPU's library that has it, "" where none does
    reason: str
    users: list[str]


@dataclass
class FirstUse:
    """A library of the package that is loaded when it is first used, and cannot be: it needs others."""

    library: str
    needs: list[str]
    reason: str
    symbols: list[str]


@dataclass
class AbiReport:
    """What `audit` found."""

    target: str
    version: str
    place: str
    opweld: str
    at_load: list[Need] = field(default_factory=list)
    missing_libraries: dict[str, list[str]] = field(default_factory=dict)
    on_first_use: list[FirstUse] = field(default_factory=list)
    looked_up: list[Need] = field(default_factory=list)
    other_libraries: dict[str, str] = field(default_factory=dict)
    aclnn: list[Need] = field(default_factory=list)

    @property
    def loads(self) -> bool:
        """Whether everything that is needed at load exists."""
        return not self.missing_libraries and not any(need.status == "missing" for need in self.at_load)

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self) | {"loads": self.loads}


def audit(target: str, software: SoftwareNpu | None = None) -> AbiReport:
    """Compares what `target` needs (a wheel, a folder, an installed package) with what the software NPU has.

    Raises UsageError, FaultsFound (a damaged library) or OpweldError (no software NPU here).
    """
    package = read_package(target)
    software = software or read_software(software_home())
    return _Audit(package, software).run()


class _Audit:
    def __init__(self, package: Package, software: SoftwareNpu) -> None:
        self.package = package
        self.software = software
        self.by_soname = {library.soname: path for path, library in package.libraries.items()}
        self.others = _other_packages(package)
        self.elsewhere = {name for library in self.others.values() for name in library.exports}
        self.own = {name for library in package.libraries.values() for name in library.exports}

    def run(self) -> AbiReport:
        report = AbiReport(self.package.name, self.package.version, self.package.place, self.software.version)
        late = self._late_libraries()
        users: dict[str, list[str]] = {}
        for path, library in self.package.libraries.items():
            missing = self._missing_sonames(library)
            if path in late:
                report.on_first_use.append(self._first_use(path, library, missing))
                continue
            for soname in missing:
                report.missing_libraries.setdefault(soname, []).append(path)
            for symbol in self._needs(library):
                users.setdefault(symbol, []).append(path)
        report.at_load = [self._judge(symbol, users[symbol], "missing") for symbol in sorted(users)]
        self._look_ups(report, set(users))
        return report

    def _late_libraries(self) -> set[str]:
        """Libraries that cannot load and that none of the package's extension modules needs."""
        at_once: set[str] = set()
        todo = [path for path in self.package.libraries if ".cpython-" in path or "/" not in path]
        while todo:
            path = todo.pop()
            if path not in at_once:
                at_once.add(path)
                todo += [
                    self.by_soname[name]
                    for name in self.package.libraries[path].needed
                    if name in self.by_soname
                ]
        return {
            path
            for path, library in self.package.libraries.items()
            if path not in at_once and self._missing_sonames(library)
        }

    def _missing_sonames(self, library: Library) -> list[str]:
        return [
            name
            for name in library.needed
            if name not in self.by_soname
            and name not in self.software.libraries
            and name not in self.others
            and not _RUN_TIME.fullmatch(name)
        ]

    def _needs(self, library: Library) -> list[str]:
        """The symbols that only CANN can have."""
        return sorted(
            symbol
            for symbol in library.imports
            if symbol not in self.own and symbol not in self.elsewhere and not _PYTHON.fullmatch(symbol)
        )

    def _first_use(self, path: str, library: Library, missing: list[str]) -> FirstUse:
        reasons = [
            self.software.absent_libraries[name].reason
            for name in missing
            if name in self.software.absent_libraries
        ]
        symbols = [symbol for symbol in self._needs(library) if symbol not in self.software.status]
        return FirstUse(path, missing, "; ".join(reasons), symbols)

    def _judge(self, symbol: str, users: list[str], otherwise: str) -> Need:
        software = self.software
        status = software.status.get(symbol, otherwise)
        reason = software.reasons.get(symbol, "")
        if status == otherwise and symbol in software.absent_symbols:
            status, reason = "absent", software.absent_symbols[symbol]
        return Need(symbol, software.readable(symbol), status, software.owner.get(symbol, ""), reason, users)

    def _look_ups(self, report: AbiReport, bound: set[str]) -> None:
        users: dict[str, list[str]] = {}
        for path, content in self.package.libraries.items():
            for name in content.names - self.own - bound - content.imports:
                users.setdefault(name, []).append(path)
        software = self.software
        known = software.status.keys() | software.absent_symbols.keys()
        for name in sorted(users):
            if name.endswith(_PHASE_ONE) and name.startswith("acl"):
                report.aclnn.append(self._judge_aclnn(name.removesuffix(_PHASE_ONE), users[name]))
                continue
            if name.startswith("aclnn") or name + _PHASE_ONE in users:
                if name in software.absent_symbols:
                    report.looked_up.append(self._judge(name, users[name], "missing"))
                continue
            if name in known:
                report.looked_up.append(self._judge(name, users[name], "missing"))
                continue
            library = self._library_of(name)
            if library:
                report.other_libraries[library] = software.absent_libraries[library].reason
            elif _CANN_NAME.fullmatch(name) and name not in software.labels:
                report.looked_up.append(self._judge(name, users[name], "missing"))

    def _library_of(self, name: str) -> str:
        """The library left out on purpose to which a name belongs, by its beginning."""
        for library, absence in self.software.absent_libraries.items():
            if absence.prefix.match(name):
                return library
        return ""

    def _judge_aclnn(self, name: str, users: list[str]) -> Need:
        both_exist = name + _PHASE_ONE in self.software.status
        need = self._judge(name, users, "missing")
        return need if both_exist or need.status == "absent" else replace(need, status="missing")


def _other_packages(package: Package) -> dict[str, Library]:
    """The libraries of the C run time, of torch, and of torch_npu where it is not what is examined."""
    found = _run_time_libraries()
    for name in ("torch", "torch_npu"):
        if name == package.name:
            continue
        folders = package_folders(name)
        if not folders and name == "torch":
            raise OpweldError(
                "torch is not installed here, so its symbols cannot be told from CANN's; install torch"
            )
        for file in (file for folder in folders for file in sorted((folder / "lib").glob("lib*.so*"))):
            library = read_library(file.read_bytes(), str(file))
            found[library.soname] = library
    return found


def _run_time_libraries() -> dict[str, Library]:
    """The C run time as this very process has it: some libraries take symbols from it without a version."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    files = {Path(line.split(maxsplit=5)[5]) for line in lines if "/" in line}
    chosen = [file for file in files if _RUN_TIME.fullmatch(file.name)]
    return {file.name: read_library(file.read_bytes(), str(file)) for file in chosen}
