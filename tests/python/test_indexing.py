"""Indexing, ordering and scattering: PyTorch's expressions on the software NPU against the CPU."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.fixture(params=["npu", "npu950"])
def process(request: pytest.FixtureRequest) -> NpuProcess:
    return request.getfixturevalue(request.param)


def test_expressions_give_what_the_cpu_gives(process: NpuProcess) -> None:
    result = process.call("indexing_programs:different", timeout=600)
    assert result["count"] > 2000
    assert result["problems"] == []


def test_tensors_without_dimensions_or_elements(process: NpuProcess) -> None:
    assert process.call("indexing_programs:different_edges") == []


def test_embedding_bags(process: NpuProcess) -> None:
    assert process.call("indexing_programs:bags") == []


def test_an_index_outside_is_an_error_that_names_function_and_argument(process: NpuProcess) -> None:
    assert process.call("indexing_programs:outside") == []
