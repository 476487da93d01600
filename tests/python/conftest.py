"""Fixtures: the command line, and processes on the software NPU."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from npu_process import OPWELD, NpuProcess

ROOT = Path(__file__).parents[2]

# What another shell's `eval "$(opweld env)"` may have left; every test chooses for itself.
for _name in [
    name
    for name in os.environ
    if name.startswith(("ASCEND_", "OPWELD_")) and name not in ("OPWELD_CANN", "OPWELD_FUZZ_SANITIZED")
]:
    del os.environ[_name]

# This process itself stays off the NPU.
os.environ["OPWELD_AUTOLOAD"] = "0"
import opweld as _opweld  # noqa: E402, F401

del os.environ["OPWELD_AUTOLOAD"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def opweld() -> Run:
    """Runs the command `opweld` with arguments; keywords go to subprocess.run."""

    def run(*arguments: str | Path, **keywords) -> subprocess.CompletedProcess[str]:
        keywords.setdefault("timeout", 300)
        return subprocess.run([OPWELD, *arguments], capture_output=True, text=True, **keywords)

    return run


@pytest.fixture(scope="session")
def python() -> Run:
    """Runs a piece of Python in a process of its own."""

    def run(code: str, **keywords) -> subprocess.CompletedProcess[str]:
        keywords.setdefault("timeout", 300)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **keywords)

    return run


@pytest.fixture(scope="module")
def npu() -> Iterator[NpuProcess]:
    """A process on the software NPU for the tests of a file: one Ascend910B1."""
    process = NpuProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def npu950() -> Iterator[NpuProcess]:
    """A shared process on the software NPU: one Ascend950PR."""
    process = NpuProcess("--soc", "Ascend950PR")
    yield process
    process.close()


@pytest.fixture(scope="module")
def npu_pair() -> Iterator[NpuProcess]:
    """A shared process on the software NPU: two Ascend910B1 with 256 MiB each."""
    process = NpuProcess("-n", "2", environ={"OPWELD_HBM_GIB": "0.25"})
    yield process
    process.close()


@pytest.fixture(scope="session")
def all_types(opweld: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a built project with operators of every kind; its wheel is in `site` beside it."""
    good = ROOT / "tests" / "data" / "spec" / "good"
    folder = tmp_path_factory.mktemp("all_types")
    shutil.copy(good / "all_types.yaml", folder / "spec.yaml")
    for part in ("kernels", "converters"):
        shutil.copytree(good / part, folder / part)
    result = opweld("build", folder, timeout=1200)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = (folder / "dist").glob("all_types-*.whl")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
    subprocess.run([*command, "--target", str(folder / "site"), str(wheel)], check=True)
    return folder
