"""What torchair cannot convert is compiled by opweld's decompositions and converters, and is right."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
HERE = Path(__file__).parent


def _names() -> list[str]:
    """The keys of the table of functions, which only a process on the NPU can import."""
    tree = ast.parse((HERE / "graph_missing.py").read_text())
    (table,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "FUNCTIONS"
    ]
    assert isinstance(table, ast.Dict)
    return [ast.literal_eval(key) for key in table.keys if key is not None]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", _names())
def test_result_and_gradient_are_those_of_the_cpu(npu: NpuProcess, name: str, dynamic: bool) -> None:
    assert npu.call("graph_missing:difference", name=name, dynamic=dynamic) <= 2e-5


@pytest.mark.parametrize("name", ["var", "std", "softplus", "prod", "put and add", "batch_norm"])
def test_in_bfloat16(npu: NpuProcess, name: str) -> None:
    assert npu.call("graph_missing:difference", name=name, dynamic=False, dtype="bfloat16") <= 4e-2


def test_a_mask_with_several_values_is_refused(npu: NpuProcess) -> None:
    assert "index_put" in npu.call("graph_missing:refused")
