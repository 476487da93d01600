"""Faults picked out of real compilers' output."""

import shutil
import subprocess
from pathlib import Path

import pytest

from opweld.compiler_output import faults, kernel_functions, step

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


HEADER = """
// ---- npu::npu_scale ----
// y = alpha * x
struct ScaleArgs {
};

// Implemented in kernels/my scale.cpp.
void scale(const ScaleArgs& args);

// ---- npu::npu_scale_backward ----
struct ScaleBackwardArgs {
};

// Implemented in kernels/other.cpp.
void scale_backward(const ScaleBackwardArgs& args);
"""


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (
            "scale",
            "the kernel function of npu::npu_scale is defined nowhere: kernels/my scale.cpp must have "
            "'void scale(const ScaleArgs& args)' in namespace my_ops",
        ),
        (
            "scale_backward",
            "the kernel function of npu::npu_scale_backward is defined nowhere: kernels/other.cpp",
        ),
        ("helper", "is declared but defined nowhere"),
    ],
)
def test_a_kernel_function_that_is_missing_is_told_by_its_operator(compiler, tmp_path, function, told):
    argument = "".join(part.capitalize() for part in function.split("_")) + "Args"
    source = tmp_path / "main.cpp"
    source.write_text(
        f"namespace my_ops {{ struct {argument} {{}}; void {function}(const {argument}&); }}\n"
        f"int main() {{ my_ops::{function}({{}}); }}\n"
    )
    (found,) = faults(output_of(compiler, source), kernel_functions(HEADER))
    assert told in found.message


def test_a_function_that_is_defined_twice(compiler, tmp_path):
    for name in ("a.cpp", "b.cpp"):
        (tmp_path / name).write_text(
            "int twice() { return 1; }\n" + ("int main() {}\n" if name == "a.cpp" else "")
        )
    (found,) = faults(output_of(compiler, tmp_path / "a.cpp", str(tmp_path / "b.cpp")))
    assert found.message.startswith("twice() is defined twice")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("[2/8] Building CXX object CMakeFiles/kernels.dir/a b/kernels/scale.cpp.o", "2/8 kernels/scale.cpp"),
        ("[1/8] Building CXX object CMakeFiles/x.dir/csrc/register.cpp.o", "1/8 csrc/register.cpp"),
        ("[8/8] Linking CXX shared library libx.so", "8/8 libx.so"),
        ("[8/8] Install the project...", None),
        ("ninja: build stopped", None),
    ],
)
def test_progress(line, shown):
    assert step(line) == shown
