"""Convolutions, poolings and resizing through the graph engine, forward and backward."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_convolutions(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_convolution:convolutions", dtype=dtype) == 25


def test_poolings(npu: NpuProcess) -> None:
    assert npu.call("graph_convolution:poolings") == 13


def test_sampling(npu: NpuProcess) -> None:
    assert npu.call("graph_convolution:sampling") == 12
