"""`opweld build`: from a project's spec to a wheel and a vendor package."""

from __future__ import annotations

import fcntl
import gzip
import io
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opweld import compiler_output, home
from opweld.commands.gen import generate
from opweld.errors import FaultsFound, OpweldError, UsageError
from opweld.log import logger

SPEC_NAMES = ("spec.yaml", "spec.yml", "spec.json")
BUILD_TOOLS = ("cmake", "ninja", "c++")
HOOK = """
import os, sys
from scikit_build_core.build import build_wheel
settings = {"build-dir": sys.argv[2], "logging.level": "INFO"}
print("WHEEL", build_wheel(sys.argv[1], settings))
"""


def build(directory: Path, target: str, *, install: bool, jobs: int | None, verbose: bool) -> None:
    """Builds the project in `directory`, with the time of each step. Raises FaultsFound where it is wrong."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs is {jobs}; it must be at least 1")
    spec = find_spec(directory)
    project = spec.parent
    require_tools()
    work = project / "build"
    with only_build(work):
        generated = work / ("opweld" if target == "software" else f"opweld-{target}")
        with _step("generate"):
            result = generate(spec, generated, target)
        changed = sum(file.changed for file in result.files)
        print(f"  {len(result.files)} files, {changed} new or changed")
        with _step("compile"):
            wheel = _build_wheel(generated, project, work / f"cmake-{target}", jobs, verbose)
        print(f"  {wheel}")
        with _step("package"):
            vendor_package = pack_vendor(wheel, target)
        print(
            f"  {vendor_package}"
            if vendor_package
            else "  no aclnn function of its own, so no vendor package"
        )
        if install:
            with _step("install"):
                _install(wheel)
        else:
            print(f"not installed: pip install {wheel}, or opweld build --install")


def find_spec(directory: Path) -> Path:
    """The spec of a project folder, or `directory` itself where it is a file. Raises UsageError."""
    if directory.is_file():
        return directory
    if not directory.is_dir():
        raise UsageError(f"folder {directory} does not exist")
    for name in SPEC_NAMES:
        if (directory / name).is_file():
            return directory / name
    raise UsageError(f"there is no {SPEC_NAMES[0]} in {directory}; make a project with 'opweld new NAME'")


def require_tools() -> None:
    """Raises OpweldError where a program that compiling needs is missing."""
    missing = [tool for tool in BUILD_TOOLS if shutil.which(tool) is None]
    if missing:
        raise OpweldError(
            f"{', '.join(missing)} cannot be found on PATH; install them (on Debian: g++ cmake ninja-build)"
        )


@contextmanager
def only_build(work: Path) -> Iterator[None]:
    """Waits until no other process builds in the folder `work`, which it makes. Raises OpweldError."""
    try:
        work.mkdir(exist_ok=True)
        lock = open(work / ".lock", "w")  # noqa: SIM115  # ends with the process, however that ends
    except OSError as error:
        raise OpweldError(
            f"nothing can be written to {work}: {error.strerror}; "
            "build a copy of the project in a folder of your own"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting: this project is being built by another process", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _step(name: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    print(f"{name:10} {time.perf_counter() - begin:6.1f} s", flush=True)


def _build_wheel(
    generated: Path, project: Path, build_directory: Path, jobs: int | None, verbose: bool
) -> Path:
    dist = project / "dist"
    dist.mkdir(exist_ok=True)
    environ = dict(os.environ)
    if jobs is not None:
        environ["CMAKE_BUILD_PARALLEL_LEVEL"] = str(jobs)
    if software := home.find_software_home():
        environ["OPWELD_CANN"] = str(software)
    command = [sys.executable, "-c", HOOK, str(dist.resolve()), str(build_directory.resolve())]
    logger("build").debug("runs %s in %s", shlex.join(command), generated)
    process = subprocess.Popen(
        command,
        cwd=generated,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",  # the compiler quotes lines of kernels as they are, in whatever encoding
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if verbose:
            print(f"  | {lines[-1]}", flush=True)
        elif progress := compiler_output.step(lines[-1]):
            print(f"  {progress}", flush=True)
    log = build_directory.parent / f"{build_directory.name}.log"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if process.wait() != 0:
        _report_failure(lines, project, generated, log)
    names = [line.removeprefix("WHEEL ") for line in lines if line.startswith("WHEEL ")]
    return dist / names[-1]


def _report_failure(lines: list[str], project: Path, generated: Path, log: Path) -> None:
    headers = [path.read_text(encoding="utf-8") for path in generated.glob("csrc/*_kernels.hpp")]
    kernels = [function for header in headers for function in compiler_output.kernel_functions(header)]
    faults = compiler_output.faults(lines, kernels)
    if not faults:
        print("\n".join(f"  {line}" for line in lines[-30:]), file=sys.stderr)
        raise OpweldError(f"the build failed; all its output is in {log}")
    for fault in faults:
        print(fault.text(relative_to=Path.cwd()), file=sys.stderr)
    own = [fault for fault in faults if not fault.is_in(generated)]
    if own:
        what = "link" if all(fault.file is None for fault in own) else "compile"
        raise FaultsFound(f"the kernel sources of {project} do not {what}; all output is in {log}")
    if any("static assertion failed: the formula of " in fault.message for fault in faults):
        raise FaultsFound(f"a formula of {project} does not fit its operator; all output is in {log}")
    raise OpweldError(f"generated code does not compile, which is a fault of opweld; all output is in {log}")


def pack_vendor(wheel: Path, target: str) -> Path | None:
    """Packs the vendor folder in `wheel` as a CANN's `opp` folder wants it; None where the wheel has none.

    The archive holds `vendors/<name>/...`, to be unpacked into `$ASCEND_OPP_PATH`. Its bytes depend on the
    wheel's only.
    """
    package, version = wheel.name.split("-")[:2]
    prefix = f"{package}/vendors/"
    content = io.BytesIO()
    with zipfile.ZipFile(wheel) as archive, tarfile.open(fileobj=content, mode="w") as tar:
        members = [
            entry for entry in archive.infolist() if entry.filename.startswith(prefix) and not entry.is_dir()
        ]
        if not members:
            return None
        for entry in sorted(members, key=lambda member: member.filename):
            info = tarfile.TarInfo(entry.filename.removeprefix(f"{package}/"))
            info.size = entry.file_size
            info.mode = 0o755 if entry.filename.endswith(".so") else 0o644
            tar.addfile(info, io.BytesIO(archive.read(entry)))
    path = wheel.parent / f"{package}-{version}-vendor-{target}.tar.gz"
    with path.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(content.getvalue())
    return path


def _install(wheel: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps"]
    result = subprocess.run(
        [*command, "--force-reinstall", str(wheel)], capture_output=True, text=True, errors="replace"
    )
    if result.returncode != 0:
        raise OpweldError(f"pip could not install {wheel}: {(result.stderr or result.stdout).strip()}")
