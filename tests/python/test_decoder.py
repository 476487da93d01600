"""A decoder like LLaMA trains and generates on the software NPU as on the CPU."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu

TOLERANCE = {"float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_trains_and_generates(soc: str, dtype: str, request: pytest.FixtureRequest) -> None:
    process: NpuProcess = request.getfixturevalue(soc)
    result = process.call("decoder:check", dtype=dtype)
    tolerance = TOLERANCE[dtype]
    assert result["losses"] == pytest.approx(result["expected"], rel=tolerance)
    assert result["losses"][-1] < 0.8 * result["losses"][0]
    assert result["parameters"] < 10 * tolerance
    assert result["logits"] < 10 * tolerance
    if dtype == "float32":
        assert result["greedy"][0] == result["greedy"][1]
    assert result["sampled"][0] == result["sampled"][1]
    assert result["among"]
