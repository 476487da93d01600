"""Which wheels a folder's projects have built, and what to say where one is not built."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from opweld.commands.build import SPEC_NAMES
from opweld.doctor.built import LIBRARY, require_compatible
from opweld.doctor.sources.project import (
    CPP_SUFFIXES,
    IGNORED_FOLDERS,
    PROJECT_FILES,
    display_name,
    source_files,
)
from opweld.errors import OpweldError, UsageError

_HIDDEN = IGNORED_FOLDERS - {"dist", "build"}


@dataclass(frozen=True)
class BuiltProject:
    """A project folder and the newest wheel of its `dist` that can be loaded here."""

    root: Path
    wheel: Path

    def holds(self, path: Path) -> bool:
        """Whether a library is one of the project's build: the wheel has what counts of it."""
        return any((self.root / name) in path.parents for name in ("build", "dist"))


def built_projects(folder: Path, notes: list[str]) -> list[BuiltProject]:
    """The projects in a folder that have a wheel. Remarks on wheels that are no use go to `notes`."""
    wheels: dict[Path, list[Path]] = {}
    for path in sorted(folder.rglob("dist/*.whl")):
        parts = path.relative_to(folder).parts[:-2]
        if not any(part.startswith(".") or part in _HIDDEN or part == "build" for part in parts):
            wheels.setdefault(path.parents[1], []).append(path)
    found = []
    for root, files in wheels.items():
        files.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        reasons = []
        for path in files:
            reason = _unusable(path)
            if not reason:
                found.append(BuiltProject(root, path))
                notes += _state(root, path)
                break
            reasons.append(reason)
        else:
            notes.append(f"only sources examined: {reasons[0]}")
    return found


def unbuilt(folder: Path, projects: list[BuiltProject], libraries: int) -> list[str]:
    """What to say of a folder that is a project and has nothing built."""
    if projects or libraries:
        return []
    log = _failed_log(folder)
    if log:
        return [f"not built, the last build failed ({display_name(log)}): only sources examined"]
    if any((folder / name).is_file() for name in SPEC_NAMES):
        return [f"not built: only sources examined (opweld build {display_name(folder)} builds it)"]
    has_cpp = any(path.suffix in CPP_SUFFIXES for path in source_files(folder))
    if has_cpp and any((folder / name).is_file() for name in (*PROJECT_FILES, "CMakeLists.txt")):
        return ["not built: only sources examined"]
    return []


def _unusable(wheel: Path) -> str:
    try:
        with zipfile.ZipFile(wheel) as archive:
            described = [entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA")]
            if not described:
                return f"{display_name(wheel)} is no wheel: it has no .dist-info/METADATA"
            if not any(LIBRARY.search(entry) or entry.endswith(".py") for entry in archive.namelist()):
                return f"{display_name(wheel)} has no library and no module"
            require_compatible(wheel.name, archive.read(described[0]).decode("utf-8", "replace"))
    except (zipfile.BadZipFile, OSError) as error:
        return f"{display_name(wheel)} is no wheel: {error}"
    except (OpweldError, UsageError) as error:
        return str(error)
    return ""


def _state(root: Path, wheel: Path) -> list[str]:
    """Whether the wheel is what the sources say today."""
    built = wheel.stat().st_mtime
    log = _failed_log(root)
    name = display_name(wheel)
    if log:
        return [f"the last build failed ({display_name(log)}): {name} is of the build before"]
    sources = [path for folder in ("kernels", "csrc", "src") for path in (root / folder).rglob("*")]
    sources += [root / name for name in SPEC_NAMES]
    changed = [path for path in sources if path.is_file() and path.stat().st_mtime > built]
    return [f"{name} is older than {display_name(changed[0])}: build again"] if changed else []


def _failed_log(root: Path) -> Path | None:
    """The log of the last `opweld build`, where that made no wheel."""
    logs = sorted((root / "build").glob("cmake-*.log"), key=lambda path: path.stat().st_mtime)
    if not logs:
        return None
    text = logs[-1].read_text(encoding="utf-8", errors="replace")
    return None if any(line.startswith("WHEEL ") for line in text.splitlines()) else logs[-1]
