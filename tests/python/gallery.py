"""Runs the packages of examples/faults: the commands of their expected.txt, in a copy of the folder.

`python tests/python/gallery.py [NAME...]` writes what the doctor says now into the expected.txt, to be read
before it is committed; in the tests it must be the same.
"""

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib import machinery
from pathlib import Path

FAULTS = Path(__file__).parents[2] / "examples" / "faults"
PLAIN = {"ASCEND_HOME_PATH": "", "ASCEND_OPP_PATH": "", "ASCEND_CUSTOM_OPP_PATH": "", "OPWELD_SOC": ""}


def packages() -> list[str]:
    return sorted(path.parent.name for path in FAULTS.glob("*/expected.txt"))


def commands(name: str) -> list[str]:
    lines = (FAULTS / name / "expected.txt").read_text().splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def is_living(name: str) -> bool:
    """Whether the package's operators are called, on the NPU."""
    return "::" in commands(name)[-1]


def loads_library(name: str) -> bool:
    """Whether a library is loaded into a process of its own, which takes seconds."""
    return any("-lc10" in line for line in commands(name))


def torch_libraries() -> str:
    spec = machinery.PathFinder.find_spec("torch", sys.path)
    return str(Path(spec.submodule_search_locations[0]) / "lib")


@contextlib.contextmanager
def copied(name: str):
    """A copy of the package as the working folder, with an environment that nothing else has touched."""
    before, folder = dict(os.environ), os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(FAULTS / name, Path(place) / name)
        os.chdir(Path(place) / name)
        os.environ.update(PLAIN)
        os.environ["TORCH_LIB"] = torch_libraries()
        try:
            yield Path.cwd()
        finally:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(before)


def answer(name: str, npu=None) -> str:
    """What the commands of a package print: the doctor's in this process, operators in the NPU process."""
    if npu is not None and is_living(name):
        npu.call("doctor_probe:ready")  # starts in this folder and environment, not in the copy's
    with copied(name) as folder:
        output = ""
        for line in commands(name):
            output += f"$ {line}\n"
            if "opweld doctor" not in line:
                subprocess.run(line, shell=True, check=True)
            elif "::" in line:
                words = shlex.split(line)
                output += npu.call(
                    "doctor_probe:examine", folder=str(folder), operator=words[2], module=words[-1]
                )
            else:
                output += _doctor(line, folder)
        return output.replace(str(folder), "$PWD")


def _doctor(line: str, folder: Path) -> str:
    from opweld.cli import run_command_line

    words = shlex.split(line.replace("$PWD", str(folder)))
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        os.environ[name] = value
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = run_command_line(words[1:])
    assert status in (0, 1), output.getvalue()
    return output.getvalue() + f"exit code {status}\n"


def _write() -> None:
    from npu_process import NpuProcess

    npu = NpuProcess()
    for name in packages():
        if len(sys.argv) < 2 or any(word in name for word in sys.argv[1:]):
            text = answer(name, npu)
            (FAULTS / name / "expected.txt").write_text(text)
            print(f"==== {name}\n{text}")
    npu.close()


if __name__ == "__main__":
    os.environ["OPWELD_AUTOLOAD"] = "0"
    _write()
