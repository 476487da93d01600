"""From what the user named to what workers open: modules, operators, a spec."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from importlib import util
from pathlib import Path
from typing import Any

from opweld import _core
from opweld.doctor.built import require_described
from opweld.environment import Device, choose_device, variables
from opweld.errors import FaultsFound, OpweldError, UsageError

SPEC_NAMES = ("spec.yaml", "spec.yml", "spec.json")
_OPERATOR = re.compile(r"(torch\.ops\.)?\w+(::|\.)\w+(\.\w+)?")
_PACKAGE = re.compile(r"^package:\s*['\"]?(\w+)", re.MULTILINE)


class SpecFaults(FaultsFound):
    """The spec that was to be verified has faults; they have been printed."""

    def __init__(self, spec: Path) -> None:
        super().__init__(f"{spec} has faults, so there is nothing to verify yet")
        self.spec = spec


@dataclass
class Target:
    """What is verified. `path`: folders that workers search first for modules; `package`: what is in them."""

    name: str
    modules: list[str] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)
    spec: Path | None = None
    path: list[str] = field(default_factory=list)
    package: str = ""

    def opening(self, samples: Path | None, seed: int) -> dict[str, Any]:
        """What a worker's `open` is given."""
        return {
            "modules": self.modules,
            "operators": self.operators,
            "namespaces": bool(self.modules),
            "spec": str(self.spec) if self.spec else None,
            "samples": str(samples.resolve()) if samples else None,
            "seed": seed,
            "path": self.path,
            "package": self.package,
        }

    def environ(self, device: Device) -> dict[str, str]:
        """The environment of workers: the NPU, the target's vendor folder, poisoned outputs."""
        before = list(sys.path)
        sys.path[:0] = self.path
        try:
            found = os.environ | variables(device)
        finally:
            sys.path[:] = before
        # Without torch_npu's task queue an error belongs to the call that raises it.
        found |= {"OPWELD_POISON": "1", "TASK_QUEUE_ENABLE": "0", "OPWELD_AUTOLOAD": "0"}
        return {name: value for name, value in found.items() if name != "PYTEST_CURRENT_TEST"}


def resolve(text: str, operators: list[str], modules: list[str]) -> Target:
    """`text`: a project's folder or spec, an operator, or a module. Raises UsageError."""
    path = Path(text)
    if path.is_dir() or (path.suffix in (".yaml", ".yml", ".json") and path.is_file()):
        return _project(path, operators, modules)
    if path.suffix in (".yaml", ".yml", ".json") or "/" in text:
        raise UsageError(f"{text} does not exist")
    if path.is_file():
        raise UsageError(f"{text} is neither a project's folder nor a spec; name a module without .py")
    if "::" in text or (_OPERATOR.fullmatch(text) and not _is_module(text)):
        if operators and not all("::" in name for name in operators):
            raise UsageError(f"{text} is an operator; what follows must be operators, too, as ns::name")
        return Target(text, list(modules), [text, *operators])
    if not _is_module(text):
        raise UsageError(
            f"{text!r} is no folder, no spec, no operator (ns::name) and no module that can be imported"
        )
    return Target(text, [*modules, text], list(operators))


def device_of(name: str | None, soc: str | None) -> Device:
    """The NPU that workers run on; `name` may be `software` or `npu` through OPWELD_TARGET only."""
    return choose_device(name, None, soc)


def _is_module(name: str) -> bool:
    sys.path.insert(0, os.getcwd())
    try:
        return util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
    finally:
        sys.path.pop(0)


def _project(path: Path, operators: list[str], modules: list[str]) -> Target:
    spec = path
    if path.is_dir():
        found = [path / name for name in SPEC_NAMES if (path / name).is_file()]
        if not found:
            raise UsageError(f"there is no {SPEC_NAMES[0]} in {path}: it is no operator project")
        spec = found[0]
    package = _package_name(spec)
    wheels = sorted((spec.parent / "dist").glob(f"{package}-*.whl"), key=lambda file: file.stat().st_mtime)
    if not wheels:  # an installed package of that name may be of another source
        raise UsageError(f"{spec} has not been built; run 'opweld build {spec.parent}' first")
    wheel = wheels[-1]
    newer = [file for file in [spec, *_kernels(spec)] if file.stat().st_mtime > wheel.stat().st_mtime]
    if newer:
        raise UsageError(f"{newer[0]} is newer than {wheel}; run 'opweld build {spec.parent}' first")
    folder = _unpacked(wheel, spec.parent.resolve() / "build" / "verify")
    return Target(str(path), [*modules, package], list(operators), spec.resolve(), [str(folder)], package)


def _unpacked(wheel: Path, where: Path) -> Path:
    """The wheel's content as a folder in `where`, which stays: what a report tells to paste imports it."""
    state = wheel.stat()
    folder = where / f"{wheel.stem}-{state.st_mtime_ns:x}-{state.st_size:x}"
    if folder.is_dir():
        return folder
    try:
        where.mkdir(parents=True, exist_ok=True)
        for old in where.glob(f"{wheel.stem}-*"):
            shutil.rmtree(old, ignore_errors=True)
        made = Path(tempfile.mkdtemp(prefix=".", dir=where))
    except OSError as error:
        raise UsageError(f"{wheel} cannot be unpacked into {where}: {error.strerror}") from error
    try:
        with zipfile.ZipFile(wheel) as archive:
            require_described(wheel, archive)
            archive.extractall(made)
    except (zipfile.BadZipFile, OSError) as error:
        shutil.rmtree(made, ignore_errors=True)
        raise UsageError(f"{wheel} is no wheel: {error}; build the project again") from error
    except OpweldError:
        shutil.rmtree(made, ignore_errors=True)
        raise
    try:
        made.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _kernels(spec: Path) -> list[Path]:
    return [file for file in (spec.parent / "kernels").glob("**/*") if file.is_file()]


def _package_name(spec: Path) -> str:
    result = _core.check([str(spec)], "text", False)
    if result.errors:
        print(result.report, file=sys.stderr)
        raise SpecFaults(spec)
    match = _PACKAGE.search(spec.read_text(encoding="utf-8"))
    if match is None:
        raise UsageError(f"{spec} does not name its package as 'package: NAME'")
    return match[1]
