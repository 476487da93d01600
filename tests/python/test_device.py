"""What a program expects of a device besides numbers: checkpoints, loaders, streams, events, memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
LOADED = {
    "rows": [1024.0 * i for i in range(24)] * 2,
    "squares": [i * i for i in range(24)] * 2,
}


@pytest.fixture(scope="module")
def fresh() -> Iterator[NpuProcess]:
    """A process that has not used the device before the first test; its streams have threads."""
    process = NpuProcess(environ={"OPWELD_STREAMS": "async"})
    yield process
    process.close()


def test_children_forked_before_the_first_use_are_free(fresh: NpuProcess) -> None:
    assert fresh.call("thread_programs:forked_before_use", timeout=180) == "15.0"
    found = fresh.call("stream_programs:loaded", workers=2, pinned=False, timeout=180)
    assert found == {**LOADED, "kinds": [["cpu", False]], "used_before": False}


def test_streams_with_threads_keep_their_order(fresh: NpuProcess) -> None:
    found = fresh.call("stream_programs:two_streams", timeout=180)
    assert found == {"problems": 0, "idle": [True, True], "distinct": True, "current": True}
    options = {"count": 8, "devices": 1, "own_streams": True}
    assert fresh.call("thread_programs:threads", **options, timeout=180) == []


@pytest.mark.parametrize(
    ("workers", "pinned", "persistent"), [(0, True, False), (2, True, True), (1, False, False)]
)
def test_loaders_feed_the_device(npu_pair: NpuProcess, workers: int, pinned: bool, persistent: bool) -> None:
    npu_pair.call("stream_programs:pinned", timeout=120)
    options = {"workers": workers, "pinned": pinned, "persistent": persistent}
    found = npu_pair.call("stream_programs:loaded", **options, timeout=120)
    assert found == {**LOADED, "kinds": [["cpu", pinned]], "used_before": True}


def test_a_worker_is_told_that_fork_keeps_it_from_the_device(npu_pair: NpuProcess) -> None:
    message = npu_pair.call("stream_programs:used_in_a_worker", timeout=120)
    assert "DataLoader worker" in message
    assert "fork" in message


def test_copies_do_not_wait(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("stream_programs:pinned", timeout=120)
    assert found == {"pinned": [True, True, False], "arrived": True, "kept": True, "empty": 0}


def test_two_streams_keep_their_order(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("stream_programs:two_streams", timeout=120)
    assert found == {"problems": 0, "idle": [True, True], "distinct": True, "current": True}


def test_events_tell_the_time(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("stream_programs:timed", timeout=120)
    assert found["first"] > 0
    assert found["second"] > 0
    assert found["whole"] == pytest.approx(found["first"] + found["second"], rel=1e-3)
    assert found["done"] == [True, True]
    assert found["unrecorded"] == "RuntimeError"


@pytest.mark.parametrize("source", ["npu:0", "npu:1", "cpu"])
def test_checkpoints_move_between_devices(npu_pair: NpuProcess, source: str, tmp_path: Path) -> None:
    losses = npu_pair.call("checkpoint_programs:saved", folder=str(tmp_path), device=source)
    targets = [
        ("npu:0", "text"),
        ("npu:1", "device"),
        ("cpu", "text"),
        ("npu:1", "dict"),
        ("npu:0", "function"),
        (source, "none"),
    ]
    for device, mapped in targets:
        arguments: dict[str, Any] = {"folder": str(tmp_path), "device": device, "mapped": mapped}
        found = npu_pair.call("checkpoint_programs:resumed", **arguments)
        assert found == {
            "loaded": ["cpu" if mapped == "function" else device],
            "momenta": device,
            "scale": 512.0,
            "losses": pytest.approx(losses, rel=1e-5),
        }, arguments


def test_saved_tensors_come_back_as_they_were(npu_pair: NpuProcess, tmp_path: Path) -> None:
    assert npu_pair.call("checkpoint_programs:tensors", folder=str(tmp_path)) == []


def test_memory_is_counted(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("memory_programs:statistics")
    assert found.pop("free") >= 64
    assert 96 <= found.pop("cached") == found.pop("peak_reserved") < 128
    assert found.pop("one") == pytest.approx(64, abs=0.1)
    assert found.pop("two") == pytest.approx(96, abs=0.1)
    assert found.pop("peak") == pytest.approx(96, abs=0.1)
    assert found == {
        "total": 256,
        "none": 0,
        "peak_after_reset": 0,
        "cached_after_emptying": 0,
        "free_after_emptying": 0,
        "statistics_agree": True,
        "summary": True,
    }


def test_the_snapshot_shows_the_segments(npu_pair: NpuProcess) -> None:
    assert npu_pair.call("memory_programs:snapshot") == {
        "reserved_agrees": True,
        "allocated_agrees": True,
        "found": 1,
        "blocks_fill": True,
        "expandable": [False],
    }


def test_out_of_memory_is_an_error_that_a_process_survives(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("memory_programs:exhausted")
    whole, quarter = found.pop("errors")
    assert "NPU out of memory. Tried to allocate 514.00 MiB (NPU 0; 256.00 MiB total capacity" in whole
    assert "NPU out of memory. Tried to allocate" in quarter
    assert found == {"kept": 3, "intact": True, "counted": True, "again": 1}


def test_training_goes_on_with_a_smaller_batch(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("memory_programs:training_out_of_memory")
    assert found["failures"] >= 1
    assert found["falls"]


def test_segments_expand() -> None:
    environ = {"OPWELD_HBM_GIB": "1", "PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True"}
    process = NpuProcess(environ=environ)
    try:
        found = process.call("memory_programs:expandable")
        assert found == {
            "right": True,
            "whole": [77, 77, 77],
            "others": [1, 3, 5, 7, 9, 11],
            "reserved_agrees": True,
            "allocated_agrees": True,
            "found": 1,
            "blocks_fill": True,
            "expandable": [True],
        }
        found = process.call("memory_programs:exhausted")
        assert len(found.pop("errors")) == 2
        assert found["intact"]
        assert found["again"] == 1
    finally:
        process.close()
