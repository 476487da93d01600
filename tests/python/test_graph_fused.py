"""torch_npu's fused operators through the graph engine."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float16"])
def test_norms_units_and_rotary_embeddings(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_fused:operators", dtype=dtype) == 5


@pytest.mark.parametrize("dtype", ["float16"])
def test_attention(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_fused:attention", dtype=dtype) == 6


@pytest.mark.parametrize("dtype", ["float16"])
def test_quantization(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_fused:quantized", dtype=dtype) == 5


@pytest.mark.parametrize("dtype", ["float16"])
def test_products_of_permuted_batches(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_fused:permuted", dtype=dtype) == 3
