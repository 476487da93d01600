"""What a compiler says of kernels: right ones compile, a wrong return gets one sentence and a place."""

import shutil
import subprocess

import pytest

KERNEL = """
#include "opweld/kernel.hpp"

using opweld::MutableTensorView, opweld::TensorView;

void kernel(const TensorView& x, const MutableTensorView& y) {
    opweld::dispatch(x, opweld::FloatingTypes{}, [&]<typename T>() {
        const opweld::Contiguous<T> from(x), again(x.as<T>()), written(y);
        const opweld::ContiguousOutput<T> to(y), other(y.as<T>());
        to[0] = from[0] + again[0] + written[0];
        to.commit();
        other.commit();
        RETURN
    });
}
"""
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.fixture
def compiled(root, tmp_path):
    def compile_with(compiler, last_line):
        source = tmp_path / "kernel.cpp"
        source.write_text(KERNEL.replace("RETURN", last_line))
        command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", f"-I{root / 'include'}", str(source)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    return compile_with


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("last_line", ["", "return to.data() != nullptr;"])
def test_plain_memory_is_made_of_what_a_kernel_is_given(compiled, compiler, last_line):
    result = compiled(compiler, last_line)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_function_that_returns_a_typed_thing_gets_one_sentence(compiled, compiler):
    result = compiled(compiler, "return y.as<T>();")
    assert result.returncode != 0
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1, result.stderr
    assert "a kernel returns nothing, it writes its outputs" in errors[0]
    assert "kernel.cpp:7:" in result.stderr  # the call of dispatch
