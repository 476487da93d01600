"""Attention on the software NPU against the CPU, forward and backward."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_sizes_that_models_use(soc: str, dtype: str, request: pytest.FixtureRequest) -> None:
    process: NpuProcess = request.getfixturevalue(soc)
    assert process.call("attention_checks:sizes", dtype=dtype) == 18


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_second_form(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("attention_checks:second_form", dtype=dtype) == 3
