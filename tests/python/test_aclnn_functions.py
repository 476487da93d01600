"""The aclnn functions of the software NPU against PyTorch on the CPU."""

import ast
import re
from pathlib import Path

import pytest

from npu_process import NpuError, NpuProcess

# The families of all modules with cases, without importing torch into this process.
FAMILIES = [
    f"{module.stem}:{node.name}"
    for module in sorted(Path(__file__).parent.glob("aclnn_cases*.py"))
    for node in ast.parse(module.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "Iterable[Case]"
]

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_give_what_the_cpu_gives(npu: NpuProcess, family: str) -> None:
    result = npu.call("aclnn_compare:compare", family=family, timeout=600)
    assert result["count"] > 0
    assert not result["failures"], f"{len(result['failures'])} of {result['count']}:\n" + "\n".join(
        result["failures"][:30]
    )


@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_expressions_give_what_the_cpu_gives(soc: str, request: pytest.FixtureRequest) -> None:
    assert request.getfixturevalue(soc).call("aclnn_programs:different") == []


def test_errors_are_reported_and_work_goes_on(npu: NpuProcess) -> None:
    shape, target, after = npu.call("aclnn_programs:survives_errors")
    assert "[2]" in shape
    assert "[3]" in shape
    assert "aclnnNLLLoss" in target
    assert "Target 7 is out of bounds" in target
    assert after == "3.0"


def test_tensors_of_two_devices_are_refused() -> None:
    process = NpuProcess("-n", "2")
    try:
        *messages, after = process.call("aclnn_programs:two_devices")
    finally:
        process.close()
    assert len(messages) == 3
    for message in messages:
        assert re.search(r"(device |npu:)1", message)
        assert re.search(r"(device |npu:)0", message)
    assert after == "[5.0, 5.0, 5.0]"


def test_an_event_reports_the_error_of_a_kernel_before_it(npu: NpuProcess) -> None:
    message, after = npu.call("aclnn_programs:error_at_an_event")
    assert "aclnnEmbedding" in message
    assert after == "16.0"


def test_what_the_soc_refuses_is_refused_unless_lenient(npu: NpuProcess) -> None:
    with pytest.raises(NpuError, match=r"float64.*OPWELD_LENIENT"):
        npu.call("aclnn_programs:lenient_matmul")
    lenient = NpuProcess(environ={"OPWELD_LENIENT": "1"})
    try:
        assert lenient.call("aclnn_programs:lenient_matmul") == [[1.0, 1.0], [1.0, 1.0]]
    finally:
        lenient.close()


def test_what_arguments_tell_is_refused_before_a_kernel_runs(npu: NpuProcess) -> None:
    assert npu.call("aclnn_refusals:not_in_the_first_phase") == {}


def test_one_value_fills_places_that_share_memory(npu: NpuProcess) -> None:
    assert npu.call("aclnn_refusals:one_value_into_shared_places") == {
        "zero": [0.0, 0.0],
        "number": [3.0, 3.0],
        "mask": [5.0, 1.0],
    }


def test_unsigned_integers_are_filled(npu: NpuProcess) -> None:
    assert npu.call("aclnn_refusals:unsigned_places") == {
        "torch.uint16": [1, 2, 65535],
        "torch.uint32": [1, 2, 2**32 - 1],
        "torch.uint64": [1, 2, 2**62],
    }


def test_random_numbers_have_their_distribution(npu: NpuProcess) -> None:
    result = npu.call("aclnn_random:moments")
    assert result["normal"] == [pytest.approx(1.0, abs=0.03), pytest.approx(2.0, abs=0.03)]
    mean, low, high = result["uniform"]
    assert mean == pytest.approx(0.0, abs=0.02)
    assert -1 <= low < -0.98
    assert 0.98 < high < 1
    assert result["integers"] == [-3, -2, -1, 0, 1, 2, 3]
    assert result["wide"] == [pytest.approx(0.5, abs=0.01), 1, 1]
    assert result["coins"] == [pytest.approx(0.25, abs=0.01), [0.0, 1.0]]


def test_random_integers_stay_below_their_limit_when_rounded(npu: NpuProcess) -> None:
    rows = npu.call("aclnn_random:within_limits")
    assert len(rows) == 10
    for low, least, greatest, high in rows:
        assert low <= least < low + 0.1 * (high - low)
        assert high - 0.1 * (high - low) < greatest < high


def test_a_seed_gives_its_numbers_again(npu: NpuProcess) -> None:
    assert npu.call("aclnn_random:same_again") == [True, True, False]


def test_dropout_masks(npu: NpuProcess) -> None:
    result = npu.call("aclnn_random:dropout_masks")
    assert result["kept"] == pytest.approx(0.7, abs=0.05)
    assert result["scale"] == [0.0, pytest.approx(1 / 0.7, abs=1e-5)]
    expected = {
        "padding": 0,
        "bits_agree": True,
        "versions_agree": True,
        "gradient_agrees": True,
        "all_dropped": 0.0,
    }
    assert {key: result[key] for key in expected} == expected


def test_a_forked_child_is_told_that_fork_is_the_cause(npu: NpuProcess) -> None:
    assert "fork" in npu.call("aclnn_fork:child_error", timeout=60)
