"""The libraries of what is examined: a wheel, an installed package, or a folder."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import machinery, metadata
from pathlib import Path

from opweld.abi.elf import Library, read_library
from opweld.errors import FaultsFound, UsageError

_LIBRARY = re.compile(r"\.so(\.\d+)*$")


@dataclass
class Package:
    """The libraries of one package, by their paths inside it."""

    name: str
    version: str
    place: str
    libraries: dict[str, Library]


def read_package(target: str) -> Package:
    """Reads a wheel's, an installed package's or a folder's libraries.

    Raises UsageError where `target` is nothing of the kind, FaultsFound where it is damaged.
    """
    path = Path(target)
    if target.endswith(".whl") or path.is_file():
        return _read_wheel(path)
    if path.is_dir():
        return Package(
            path.resolve().name, "", str(path.resolve()), _read_all(path.name, _folder_files(path))
        )
    return _read_installed(target)


def package_folders(name: str) -> list[Path]:
    """Where an installed package is, without importing it; empty where it is not installed."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return []
    # PathFinder instead of util.find_spec: the latter runs import hooks, which may load the NPU.
    spec = machinery.PathFinder.find_spec(name, sys.path)
    return [Path(entry) for entry in (spec.submodule_search_locations or [])] if spec else []


def _read_wheel(path: Path) -> Package:
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    try:
        with zipfile.ZipFile(path) as wheel:
            entries = [entry for entry in wheel.namelist() if _LIBRARY.search(entry)]
            if not any(entry.endswith(".dist-info/METADATA") for entry in wheel.namelist()):
                raise UsageError(f"{path} is no wheel: it holds no .dist-info/METADATA")
            libraries = _read_all(path.name, ((entry, wheel.read(entry)) for entry in entries))
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        if path.suffix != ".whl":
            raise UsageError(
                f"{path} is no wheel; give a .whl file or the name of an installed package"
            ) from error
        raise FaultsFound(f"{path} is damaged or no wheel: {error}") from error
    name, version, *_ = [*path.name.removesuffix(".whl").split("-"), ""]
    return Package(name, version, str(path), libraries)


def _read_installed(name: str) -> Package:
    folders = package_folders(name)
    if not folders:
        looks_like_a_path = "/" in name or "." in name
        what = "there is no file or folder" if looks_like_a_path else "no package of this name is installed:"
        raise UsageError(
            f"{what} {name}; give a .whl file or the name of an installed package, such as torch_npu"
        )
    try:
        version = metadata.version(name.replace("_", "-"))
    except metadata.PackageNotFoundError:
        version = ""
    files = ((entry, content) for folder in folders for entry, content in _folder_files(folder))
    return Package(name, version, str(folders[0]), _read_all(name, files))


def _folder_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*.so*")):
        if _LIBRARY.search(path.name) and path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def _read_all(name: str, files: Iterator[tuple[str, bytes]]) -> dict[str, Library]:
    libraries = {entry: read_library(content, entry, with_names=True) for entry, content in files}
    if not libraries:
        raise UsageError(f"{name} has no shared libraries, so it needs nothing of CANN")
    return libraries
