"""PyTorch expressions on the NPU equal the CPU's, for each dtype and on both SoCs."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("aclnn_expressions.py").read_text(encoding="utf-8")
GROUPS = next(
    [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
    for node in ast.parse(SOURCE).body
    if isinstance(node, ast.Assign)
    and isinstance(node.targets[0], ast.Name)
    and node.targets[0].id == "GROUPS"
    and isinstance(node.value, ast.Dict)
)

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("soc", ["npu", "npu950"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("group", GROUPS)
def test_equals_the_cpu(group: str, dtype: str, soc: str, request: pytest.FixtureRequest) -> None:
    process = request.getfixturevalue(soc)
    assert process.call("aclnn_expressions:different", group=group, dtype=dtype) == []
