"""Operators over lists of tensors through the graph engine."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_lists(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_foreach:cases", dtype=dtype) == 52
