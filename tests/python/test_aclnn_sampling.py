"""Draws, permutations and samples on the software NPU."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.fixture(params=["npu", "npu950"])
def process(request: pytest.FixtureRequest) -> NpuProcess:
    fixture: NpuProcess = request.getfixturevalue(request.param)
    return fixture


def near(*values: float) -> object:
    return pytest.approx(list(values), abs=0.04)


def test_draws_have_their_distribution(process: NpuProcess) -> None:
    result = process.call("aclnn_sampling:distributions")
    assert result["normal"] == [near(-2, 3), near(0.5, 2)]
    assert result["around"] == [near(-2, 3), near(0.25, 0.25)]
    assert result["spread"] == [near(1, 1), near(0.5, 2)]
    assert result["waiting"][:2] == near(0.5, 0.5)
    assert result["waiting"][2] >= 0
    assert result["coins"] == near(0.1, 0.75)
    assert result["again"] == [near(0.25, 0, 0.75), near(0.25, 0.25, 0.5)]
    assert result["first"] == pytest.approx([0.25, 0.25, 0.5], abs=0.08)
    assert result["repeated"] == 0


def test_permutations_are_complete_and_even(process: NpuProcess) -> None:
    result = process.call("aclnn_sampling:permutations")
    assert result["complete"]
    assert result["moved"] > 950
    assert len(result["counts"]) == 6
    assert result["counts"][0] > 60
    assert result["counts"][-1] < 140
    assert result["empty"] == []
    assert result["float"] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_integers_reach_their_limits(process: NpuProcess) -> None:
    result = process.call("aclnn_sampling:integers")
    assert result["int8"][0] == 0
    assert result["int8"][1] >= 126
    assert result["uint8"][0] <= 1
    assert result["uint8"][1] >= 254
    assert result["int64"][1] > 2**62
    assert 2000 < result["float16"][1] <= 2048
    assert result["bool"][0] == 0


def test_a_seed_gives_its_numbers_again(process: NpuProcess) -> None:
    result = process.call("aclnn_sampling:same_again")
    assert all(result.values()), result


def test_a_state_in_tensors_is_the_state(npu: NpuProcess) -> None:
    result = npu.call("aclnn_sampling:states_in_tensors")
    assert all(result.values()), result


def test_parameters_outside_their_range_are_refused(npu: NpuProcess) -> None:
    result = npu.call("aclnn_sampling:refused")
    assert "without replacement" in result["too many"]
    assert "not negative" in result["negative"]
    assert "must be positive" in result["all zero"]
    assert "from 0 to 1" in result["no chance"]
    assert "'lambda' is -1" in result["rate"]
    assert "must not be negative" in result["std"]
