"""nn.LSTM, nn.GRU, nn.RNN and their cells on the software NPU against the CPU."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_layers_and_cells_equal_the_cpu(npu: NpuProcess, dtype: str) -> None:
    result = npu.call("recurrent_programs:different", dtype=dtype)
    assert result["problems"] == []
    assert result["refused"] == []
    assert len(result["compared"]) == 37


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_layers_equal_the_cpu_on_ascend950(npu950: NpuProcess, dtype: str) -> None:
    """torch_npu itself refuses what it has no aclnn function for on this SoC."""
    result = npu950.call("recurrent_programs:different", dtype=dtype)
    assert result["problems"] == []
    cells = ["LSTMCell", "LSTMCell with a state", "LSTMCell without bias"]
    assert [name for name in result["refused"] if "Cell" in name] == cells


def test_layers_in_evaluation_equal_the_cpu(npu: NpuProcess) -> None:
    assert max(npu.call("recurrent_programs:evaluated").values()) <= 1e-6


def test_dropout_between_layers_is_refused(npu: NpuProcess) -> None:
    assert "aclnnGRU" in npu.call("recurrent_programs:dropout_is_refused")
