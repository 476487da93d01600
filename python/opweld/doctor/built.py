"""Examines what is built: libraries, vendor packages and wheels. Nothing is loaded here."""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import HeaderParser
from functools import partial
from importlib import metadata
from pathlib import Path

from opweld import vendor
from opweld.abi.elf import Library, read_library
from opweld.doctor.checks import module_init
from opweld.doctor.findings import Finding, Place
from opweld.doctor.functions import Functions
from opweld.doctor.sources.project import display_name, source_files
from opweld.doctor.sources.python_module import parse
from opweld.doctor.sources.text import read_source
from opweld.errors import FaultsFound, OpweldError, UsageError

EXTENSION = re.compile(r"\.(cpython-[\w-]+|abi3)\.so$")  # names that builders give to what Python imports
LIBRARY = re.compile(r"\.so(\.\d+)*$")
_WORKSPACE = "GetWorkspaceSize"
_ACLNN = re.compile(r"aclnn[A-Z]\w*$")
_MANGLED = re.compile(r"_Z\d+(aclnn[A-Z]\w*?)(GetWorkspaceSize)?(?=[A-Z]|P|v|m|y)")
_INIT = "PyInit_"
_TORCH = ("libtorch", "libc10")


def library_files(folder: Path) -> list[Path]:
    """The libraries in a folder, those of hidden folders and of builds in progress left out."""
    found = []
    for path in sorted(folder.rglob("*.so*")):
        parts = path.relative_to(folder).parts[:-1]
        hidden = any(part.startswith((".", "CMakeFiles")) or part == "site-packages" for part in parts)
        if LIBRARY.search(path.name) and path.is_file() and not hidden:
            found.append(path)
    return found


def read(path: Path) -> Library:
    """Reads a library. Raises UsageError where it is none."""
    try:
        return read_library(path.read_bytes(), display_name(path), with_names=True)
    except FaultsFound as error:
        raise UsageError(str(error)) from error


def is_torch_extension(library: Library) -> bool:
    """Whether a library registers something with torch: it needs torch's libraries."""
    return any(name.startswith(_TORCH) for name in library.needed)


def examine_library(path: Path, functions: Functions, soc: str) -> list[Finding]:
    """What a library's symbols tell."""
    library = read(path)
    place = Place(display_name(path))
    findings = [*_halves(library, place), *_mangled(library, place), *_init(path, library, place)]
    if path.parts[-3:] == vendor.LIBRARY.parts:
        findings += _soc(path.parents[2], place, soc)
    if is_torch_extension(library) and functions.known:
        findings += _calls(library, place, functions)
    return findings


def _halves(library: Library, place: Place) -> Iterator[Finding]:
    exported = {name for name in library.exports if _ACLNN.match(name)}
    for name in sorted(exported):
        other = name.removesuffix(_WORKSPACE) if name.endswith(_WORKSPACE) else name + _WORKSPACE
        if other not in exported:
            function = name.removesuffix(_WORKSPACE)
            yield Finding(
                "OW902", place, f"{function} has only one of its two phases: {other} is not exported"
            )


def _init(path: Path, library: Library, place: Place) -> Iterator[Finding]:
    """Whether an extension module has the function that its import calls."""
    name = path.name.partition(".")[0]
    made = _modules(library)
    if made and name not in made and not name.startswith("lib"):
        yield Finding(
            "OW723",
            place,
            f"the import of {name} looks for PyInit_{name}, but the library makes the module "
            f"{', '.join(made)}",
        )


def examine_modules(paths: Sequence[Path], folder: Path) -> list[Finding]:
    """The libraries that a folder's Python sources import, and that make no module."""
    plain = [path for path in paths if not _modules(read(path))]
    if not plain:
        return []
    files = [path for path in source_files(folder) if path.suffix == ".py"]
    parsed = (parse(read_source(path, display_name(path))) for path in files)
    sources = [source for source in parsed if source is not None]
    findings = []
    for path in plain:
        imported = module_init.importer(sources, partial(_is_import_of, path))
        if imported is not None:
            name = path.name.partition(".")[0]
            findings.append(
                module_init.finding(Place(display_name(path)), name, display_name(path), imported)
            )
    return findings


def _is_import_of(path: Path, item: module_init.Import) -> bool:
    file = Path(display_name(path))
    whole = (*file.parts[:-1], file.name.partition(".")[0])
    if item.relative:
        return item.parts == whole
    root = path.absolute().parents[len(item.parts) - 1]  # where Python would search for the first part
    return whole[-len(item.parts) :] == item.parts and not (root / "__init__.py").exists()


def _modules(library: Library) -> list[str]:
    return sorted(name.removeprefix(_INIT) for name in library.exports if name.startswith(_INIT))


def _mangled(library: Library, place: Place) -> Iterator[Finding]:
    seen = set()
    for name in sorted(library.exports):
        match = _MANGLED.match(name)
        if match and match[1] not in seen and match[1] not in library.exports:
            seen.add(match[1])
            yield Finding(
                "OW910", place, f'{match[1]} is exported under the C++ name {name}: extern "C" is missing'
            )


def unseen(paths: Sequence[Path]) -> list[str]:
    """Remarks on what the libraries alone do not tell."""
    notes = [
        f"{display_name(path)} has no PyInit_{path.name.partition('.')[0]}: Python cannot import it, only "
        "torch.ops.load_library or ctypes can load it"
        for path in paths
        if EXTENSION.search(path.name) and not _modules(read(path))
    ]
    return notes + [
        f"{display_name(path)} calls {len(called)} aclnn function{'s' if len(called) > 1 else ''}; with "
        "which arguments, a library does not tell: examine its sources for that"
        for path in paths
        if is_torch_extension(library := read(path)) and (called := _called(library))
    ]


def _called(library: Library) -> list[str]:
    """The aclnn functions whose names are in the library's data: those that it looks up when it runs."""
    names = library.names | library.imports
    return sorted({name.removesuffix(_WORKSPACE) for name in names if _ACLNN.match(name)})


def _calls(library: Library, place: Place, functions: Functions) -> Iterator[Finding]:
    for name in _called(library):
        if name in functions.absent or name in library.exports:
            continue
        phases = functions.phases(name)
        if phases == 2:
            continue
        if phases == 1:
            yield Finding("OW902", place, f"{name}: only one of its two phases is in {functions.where(name)}")
        elif name in functions.elsewhere:
            folder = functions.elsewhere[name]
            yield Finding(
                "OW904",
                place,
                f"{name} is in the vendor package {display_name(folder)}, which is not on "
                "ASCEND_CUSTOM_OPP_PATH",
                fix=f"export ASCEND_CUSTOM_OPP_PATH={folder.absolute()}, or start it with opweld run.",
            )
        else:
            yield Finding("OW901", place, f"{name} is in no vendor package, nor in {functions.built_in}")


def _soc(folder: Path, place: Place, soc: str) -> Iterator[Finding]:
    """The SoCs that a vendor package has kernels for, by the folders of its configuration."""
    config = folder / "op_impl" / "ai_core" / "tbe" / "config"
    socs = sorted(item.name for item in config.iterdir() if item.is_dir()) if config.is_dir() else []
    if socs and not any(_family(soc) == name.lower() for name in socs):
        yield Finding("OW907", place, f"the vendor package is for {', '.join(socs)}, and the SoC is {soc}")


def _family(soc: str) -> str:
    """The name of a SoC's family, as build files write it: ascend910b for Ascend910B1."""
    match = re.match(r"(Ascend\d+)(_93|B|P)?", soc)
    family = "".join(part for part in match.groups() if part) if match else soc
    return family.lower().removesuffix("p") if soc.startswith("Ascend950") else family.lower()


@dataclass(frozen=True)
class Unpacked:
    """A wheel's content in a folder of its own, which is gone afterwards."""

    folder: Path
    package: str


@contextmanager
def unpacked(wheel: Path) -> Iterator[Unpacked]:
    """Unpacks a wheel. Raises UsageError where it is none, OpweldError where it is for another torch."""
    try:
        archive = zipfile.ZipFile(wheel)
    except (zipfile.BadZipFile, OSError) as error:
        raise UsageError(f"{wheel} is no wheel: {error}") from error
    with archive, tempfile.TemporaryDirectory(prefix="opweld-doctor-") as name:
        require_described(wheel, archive)
        for entry in archive.namelist():
            if entry.startswith("/") or ".." in Path(entry).parts:
                raise UsageError(f"{wheel} is no sound wheel: it holds the path {entry}")
        archive.extractall(name)
        tops = sorted(item.parent.name for item in Path(name).glob("*/__init__.py"))
        yield Unpacked(Path(name), tops[0] if tops else "")


def require_described(wheel: Path, archive: zipfile.ZipFile) -> None:
    """Raises UsageError where a wheel does not describe itself, OpweldError where it is not for here."""
    described = [entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA")]
    if not described:
        raise UsageError(f"{wheel} is no wheel: it has no .dist-info/METADATA")
    require_compatible(wheel.name, archive.read(described[0]).decode("utf-8", "replace"))


def require_compatible(wheel: str, described: str) -> None:
    """Raises OpweldError where a wheel is for another Python or torch than those that are here."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.tags import sys_tags
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        tags = parse_wheel_filename(wheel)[3]
    except InvalidWheelFilename as error:
        raise UsageError(f"{wheel} is no wheel by its name: {error}") from error
    if not tags & frozenset(sys_tags()):
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        told = ", ".join(sorted(str(tag) for tag in tags))
        raise OpweldError(
            f"{wheel} is built for {told}, which this Python {python} cannot load; build it here"
        )
    for text in HeaderParser().parsestr(described).get_all("Requires-Dist", []):
        try:
            wanted = Requirement(text)
        except InvalidRequirement:
            continue
        if wanted.name.lower().replace("_", "-") not in ("torch", "torch-npu") or (
            wanted.marker is not None and not wanted.marker.evaluate()
        ):
            continue
        try:
            got = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            raise OpweldError(f"{wheel} needs {wanted.name}, which is not installed here") from None
        if not wanted.specifier.contains(got.split("+")[0], prereleases=True):
            raise OpweldError(
                f"{wheel} is built for {wanted.name}{wanted.specifier}, and {wanted.name} {got} is "
                "installed; "
                "build it again for this one"
            )


def path_of_vendor(folders: list[Path]) -> str:
    """ASCEND_CUSTOM_OPP_PATH with the given vendor folders and no others."""
    return vendor.join_paths([str(folder.absolute()) for folder in folders], "")
