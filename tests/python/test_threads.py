"""Threads, several devices, killed and forked processes: right results or a clear error, never a hang."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
LIMIT = 240


@pytest.mark.parametrize("own_streams", [False, True])
@pytest.mark.parametrize("devices", [1, 2])
def test_eight_threads_train_at_once(npu_pair: NpuProcess, devices: int, own_streams: bool) -> None:
    options = {"count": 8, "devices": devices, "own_streams": own_streams}
    assert npu_pair.call("thread_programs:threads", **options, timeout=LIMIT) == []


def test_an_error_stays_in_its_thread(npu_pair: NpuProcess) -> None:
    found = npu_pair.call("thread_programs:an_error_in_one_thread", timeout=LIMIT)
    assert found == {"found": ["2.0"] * 3 + ["error"] + ["2.0"] * 4, "after": 3.0}


def test_two_devices_share_a_batch(npu_pair: NpuProcess) -> None:
    assert npu_pair.call("thread_programs:split_batches", timeout=LIMIT) == []


def test_a_model_lies_across_two_devices(npu_pair: NpuProcess) -> None:
    assert npu_pair.call("thread_programs:across_devices", timeout=LIMIT) == {
        "places": ["npu:0"] * 2 + ["npu:1"] * 2,
        "equal": True,
        "copied": True,
        "inside": [1, "npu:1", "npu:1"],
        "outside": 0,
    }


def test_a_killed_training_goes_on_from_its_checkpoint(npu: NpuProcess, tmp_path: Path) -> None:
    whole = npu.call("thread_programs:interrupted", folder=str(tmp_path / "whole"), steps=20)
    killed = NpuProcess()
    options = {"folder": str(tmp_path), "steps": 20}
    try:
        killed.send("thread_programs:interrupted", slow=0.05, **options)
        last, wanted = tmp_path / "last.pt", random.randrange(1, 8)
        end, seen = time.monotonic() + LIMIT, set()
        while len(seen) < wanted:
            assert time.monotonic() < end, "no checkpoint came"
            if last.exists():
                seen.add(last.stat().st_mtime_ns)
            time.sleep(0.005)
        killed.kill()
    finally:
        killed.close()
    resumed = npu.call("thread_programs:interrupted", **options, timeout=LIMIT)
    assert len(resumed) == 20
    assert resumed == whole


@pytest.mark.parametrize("soc", ["npu", "npu950"])
def test_a_child_forked_after_the_first_use_is_told_so(soc: str, request: pytest.FixtureRequest) -> None:
    found = request.getfixturevalue(soc).call("thread_programs:forked_after_use", timeout=LIMIT)
    assert found.pop("parent") == 9.0
    assert len(found) == 5
    for use, message in found.items():
        assert "fork" in message, f"{use}: {message}"
