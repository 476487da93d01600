"""PyTorch's modules on the software NPU give what they give on the CPU, for each dtype and on both SoCs."""

import ast
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("module_programs.py")
FAMILIES = [
    node.name
    for node in ast.parse(PROGRAMS.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "Iterable[Program]"
]

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_modules_give_what_the_cpu_gives(
    soc: str, family: str, dtype: str, request: pytest.FixtureRequest
) -> None:
    process = request.getfixturevalue(soc)
    problems = process.call("module_programs:different", family=family, dtype=dtype, timeout=600)
    assert problems == []


@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_random_slopes(soc: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(soc).call("module_checks:random_slopes")
    assert 0.1 <= result.pop("lowest") < 0.11
    assert 0.29 < result.pop("highest") <= 0.3
    assert result.pop("mean") == pytest.approx(0.2, abs=0.01)
    assert result == {"positive_kept": True, "gradient_is_slope": True, "in_place_agrees": True}


@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_statistics_of_several_devices(soc: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(soc).call("module_checks:gathered_statistics")
    assert result == {"statistics": pytest.approx(0, abs=1e-5), "sums": pytest.approx(0, abs=1e-5)}
