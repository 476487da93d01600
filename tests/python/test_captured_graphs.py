"""Captured graphs: torch.npu.NPUGraph, graph, make_graphed_callables, and compiled models that use them."""

from __future__ import annotations

from typing import Any

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
LIMIT = 400
MODELS = ("mlp", "resnet", "transformer", "decoder")


def _call(npu: NpuProcess, function: str, **arguments: Any) -> Any:
    return npu.call(f"graph_programs:{function}", timeout=LIMIT, **arguments)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("model", MODELS)
def test_a_replay_sees_new_inputs_and_equals_eager(npu: NpuProcess, model: str, dtype: str) -> None:
    assert _call(npu, "replays", model=model, dtype=dtype) == 0


@pytest.mark.parametrize("model", MODELS)
def test_a_whole_training_step_in_one_graph(npu: NpuProcess, model: str) -> None:
    found = _call(npu, "whole_training_step", model=model, dtype="float32")
    assert found["captured"] == pytest.approx(found["eager"], rel=1e-5)
    assert len(set(found["captured"])) == 4


@pytest.mark.parametrize("model", ["mlp", "transformer"])
def test_graphed_callables_train_like_eager(npu: NpuProcess, model: str) -> None:
    losses = _call(npu, "graphed_callables", model=model)
    assert losses["graphed"] == pytest.approx(losses["eager"], rel=1e-5)


def test_several_streams_in_one_capture(npu: NpuProcess) -> None:
    assert _call(npu, "several_streams") == [2 + 3 * 4, 4 + 5 * 6]


def test_a_stream_that_nobody_waits_for_is_named(npu: NpuProcess) -> None:
    message = _call(npu, "unjoined_stream")
    assert "joined the capture of stream" in message
    assert "does not wait for its last 1 tasks" in message


def test_two_graphs_share_a_pool(npu: NpuProcess) -> None:
    assert _call(npu, "shared_pool") == {"found": [[6, 6], [18, 18]], "pools": True}


def test_a_failing_operator_is_named_when_it_is_replayed(npu: NpuProcess) -> None:
    found = _call(npu, "failing_operator")
    assert "captured graph" in found["message"]
    assert "aclnnEmbedding: argument 'indices' has the value 9" in found["message"]
    assert found["equal"]


@pytest.mark.parametrize("what", ["item", "synchronize", "stream", "cpu", "npu", "nonzero", "pageable"])
def test_what_can_not_be_captured_is_refused(npu: NpuProcess, what: str) -> None:
    found = _call(npu, "refused", what=what)
    # torch_npu's queue brings the copy, and gets no error: the end of the capture does.
    assert what == "pageable" or "error code is 1070" in found["inside"], found
    # As on the device, a refused wait leaves the capture as it is.
    waits = what in ("item", "stream", "nonzero")
    assert found["end"] == "no error" if waits else "is void since this call" in found["end"]
    assert found["after"] == [2, 2, 2]


@pytest.mark.parametrize("operator", ["dropout", "randn", "rand", "randint", "normal_", "uniform_", "two"])
def test_random_numbers_equal_those_of_eager_mode(npu: NpuProcess, operator: str) -> None:
    assert _call(npu, "random_numbers", operator=operator) == {"equal": True, "new": True}


def test_memory_stays_flat_over_captures_and_releases(npu: NpuProcess) -> None:
    grown = _call(npu, "captures_and_releases", count=200)
    assert grown["device"] == 0
    assert grown["host"] < 8192


def test_two_threads_capture_and_replay(npu: NpuProcess) -> None:
    assert _call(npu, "two_threads") == []


def test_a_graph_is_dumped_as_a_trace(npu: NpuProcess) -> None:
    found = _call(npu, "dumped")
    assert found["names"] == ["aclnnMuls", "aclnnReduceSum"]
    assert found["files"] == ["graph.aligned.json", "graph.json"]


def test_python_functions_inside_a_graph(npu: NpuProcess) -> None:
    assert _call(npu, "host_functions") == {"seen": [[7], [7], [7]], "result": [3, 3, 3]}


def test_the_device_chooses_a_branch(npu: NpuProcess) -> None:
    assert _call(npu, "conditional", values=[True, False, True]) == [4, -1, 4]


def test_a_replay_costs_the_host_less_than_eager(npu: NpuProcess) -> None:
    times = _call(npu, "host_times")
    assert times["replayed"] * 2 < times["eager"], times


@pytest.mark.parametrize(
    ("model", "dtype", "dynamic", "backend"),
    [
        ("mlp", "float32", False, "npugraph_ex"),
        ("mlp", "float16", True, "torchair:reduce-overhead"),
        ("resnet", "float32", True, "npugraph_ex"),
        ("resnet", "bfloat16", False, "torchair:npugraph_ex"),
        ("transformer", "float32", True, "torchair:npugraph_ex"),
        ("transformer", "bfloat16", False, "npugraph_ex"),
        ("decoder", "float32", False, "torchair:reduce-overhead"),
        ("decoder", "float16", True, "npugraph_ex"),
    ],
)
def test_a_compiled_model_equals_eager(
    npu: NpuProcess, model: str, dtype: str, dynamic: bool, backend: str
) -> None:
    found = _call(npu, "compiled", model=model, dtype=dtype, dynamic=dynamic, backend=backend)
    tolerance = 1e-4 if dtype == "float32" else 3e-2
    assert found["worst"] <= tolerance
    assert found["compiled"] == pytest.approx(found["eager"], rel=tolerance)
