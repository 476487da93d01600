"""Neural-network operators under torch_npu equal the CPU's, for each dtype and on both SoCs."""

import ast
from pathlib import Path

import pytest

CHECKS = Path(__file__).with_name("nn_checks.py")
CASES = [
    node.name.removeprefix("case_")
    for node in ast.parse(CHECKS.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("case_")
]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_equals_the_cpu(npu, name, dtype):
    npu.call("nn_checks:case", name=name, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_equals_the_cpu_on_ascend950(npu950, name, dtype):
    npu950.call("nn_checks:case", name=name, dtype=dtype)
