"""Faults picked out of real compilers' output."""

import shutil
import subprocess
from pathlib import Path

import pytest

from opweld.compiler_output import faults

BROKEN = "int f() {\n    return undeclared_thing;\n}\nint g() { return 0 }\n"
UNRESOLVED = "int defined_nowhere(int);\nint main() { return defined_nowhere(1); }\n"


@pytest.fixture(params=["g++", "clang++"])
def compiler(request):
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


def output_of(compiler: str, source: Path, *options: str) -> list[str]:
    command = [compiler, *options, str(source), "-o", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode != 0
    return (result.stdout + result.stderr).splitlines()


def test_errors_come_with_their_place_and_source(compiler, tmp_path):
    source = tmp_path / "kernels" / "broken.cpp"
    source.parent.mkdir()
    source.write_text(BROKEN)
    found = faults(output_of(compiler, source, "-c"))
    assert [fault.line for fault in found] == [2, 4]
    assert "undeclared_thing" in found[0].message
    assert found[0].is_in(tmp_path)
    assert not found[0].is_in(tmp_path / "other")
    text = found[0].text(relative_to=tmp_path)
    assert text.startswith("kernels/broken.cpp:2:12: error: ")
    assert "return undeclared_thing;" in text


def test_a_function_that_is_defined_nowhere_is_named(compiler, tmp_path):
    source = tmp_path / "main.cpp"
    source.write_text(UNRESOLVED)
    (found,) = faults(output_of(compiler, source))
    assert found.file is None
    assert found.text(Path.cwd()).startswith(
        "link: error: defined_nowhere(int) is declared but defined nowhere"
    )


def test_output_without_faults_has_none():
    assert faults(["[1/2] Building CXX object", "a.cpp:1:2: warning: unused", "ninja: build stopped"]) == []


def test_the_same_fault_is_told_once():
    line = "a.cpp:1:2: error: bad"
    assert len(faults([line, line, "*** " + line])) == 1
