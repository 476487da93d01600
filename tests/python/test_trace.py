"""OPWELD_TRACE: files in Chrome's trace format, one of each process, whole even if the process was killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from npu_process import OPWELD
from opweld import home

HERE = Path(__file__).parent


def run(
    folder: Path, *arguments: str, **variables: str
) -> tuple[subprocess.CompletedProcess[str], list[int]]:
    """Runs the program; the numbers of it and of its child."""
    library = home.software_home() / "lib64" / home.RUNTIME_LIBRARY
    result = subprocess.run(
        [sys.executable, HERE / "trace_programs.py", library, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env=os.environ | variables,
    )
    return result, [int(word) for word in result.stdout.split()]


def events(path: Path, *, killed: bool = False) -> list[dict]:
    text = path.read_text()
    return json.loads(text + "]" if killed else text)


def tracks(found: list[dict]) -> dict[int, str]:
    return {item["tid"]: item["args"]["name"] for item in found if item["name"] == "thread_name"}


@pytest.fixture(scope="module")
def traced(tmp_path_factory) -> tuple[list[dict], list[dict], int]:
    """The events of the process and of its child, and the number of the process."""
    folder = tmp_path_factory.mktemp("trace")
    result, (own, child) = run(folder, OPWELD_TRACE="trace.json")
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [f"trace.{own}.json", f"trace.{child}.json"]
    )
    return events(folder / f"trace.{own}.json"), events(folder / f"trace.{child}.json", killed=True), own


def test_each_stream_and_each_thread_is_a_track_with_a_name(traced):
    found, _, own = traced
    names = tracks(found)
    assert names[own] == "main thread"
    assert sum(name.startswith("npu:0 stream ") for name in names.values()) == 4
    assert len(names) == 6
    used = {item["tid"] for item in found if item["ph"] in "Xi"}
    assert used == set(names)


def test_copies_are_on_their_stream_with_size_and_kind(traced):
    found = traced[0]
    copies = [item for item in found if item["cat" if item["ph"] != "M" else "ph"] == "task"]
    assert [(item["name"], item["args"]) for item in copies][:3] == [
        ("aclrtMemcpyAsync", {"bytes": "1024", "what": "host to device"}),
        ("aclrtMemsetAsync", {"bytes": "1024", "what": "fill"}),
        ("aclrtMemcpyAsync", {"bytes": "1024", "what": "device to device"}),
    ]
    names = tracks(found)
    assert all("stream" in names[item["tid"]] for item in copies)
    assert copies[0]["tid"] == copies[1]["tid"] != copies[2]["tid"]


def test_calls_are_on_their_thread_and_hold_what_they_wait_for(traced):
    found, _, own = traced
    calls = [item for item in found if item.get("cat") == "runtime" and item["tid"] == own]
    names = [item["name"] for item in calls]
    for name in ("aclrtMemcpy", "aclrtMemcpyAsync", "aclrtStreamWaitEvent", "aclrtSynchronizeStream"):
        assert name in names
    assert not any("Get" in name for name in names)
    whole = next(item for item in calls if item["name"] == "aclrtMemcpyAsync")
    inner = next(item for item in found if item.get("cat") == "task")
    assert whole["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= whole["ts"] + whole["dur"]
    assert "1024" in whole["args"]["arguments"]


def test_events_are_told(traced):
    assert sum(item["name"] == "record event" for item in traced[0]) == 2


def test_a_forked_child_writes_a_file_of_its_own(traced):
    _, found, own = traced
    assert [item["name"] for item in found][-1] == "aclrtMemcpy"
    assert {item["pid"] for item in found} != {own}


def test_the_file_of_a_killed_process_is_whole(tmp_path):
    result, (own, _) = run(tmp_path, "kill", OPWELD_TRACE="%p/trace.json")
    assert "can't be written" in result.stderr  # there is no such folder; the program runs all the same
    result, (own, _) = run(tmp_path, "kill", OPWELD_TRACE="trace-%p")
    assert result.returncode == -9
    found = events(tmp_path / f"trace-{own}", killed=True)
    assert [item["name"] for item in found if item.get("cat") == "runtime"][-1] == "aclrtSynchronizeDevice"


def test_without_the_variable_nothing_is_written(tmp_path):
    result, _ = run(tmp_path)
    assert result.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_one_switch_for_the_log(tmp_path):
    assert run(tmp_path, OPWELD_LOG="off")[0].stderr == ""
    told = run(tmp_path, OPWELD_LOG="debug", ASCEND_GLOBAL_LOG_LEVEL="4")[0].stderr
    assert "[DEBUG] ACL(" in told
    assert "aclrtMemcpyAsync(" in told
    wrong = run(tmp_path, OPWELD_LOG="loud")[0].stderr
    assert 'OPWELD_LOG is \\"loud\\"; debug, info, warning, error or off is expected' in wrong.replace(
        '"', '\\"'
    )


@pytest.mark.npu
def test_operators_are_told_with_their_arguments(tmp_path):
    """Shapes and dtypes on the stream's track, operators and steps of the backward pass on the thread's."""
    code = (
        "import os, torch; x = torch.ones(2, 3, device='npu', requires_grad=True);"
        "torch.tanh(x).sum().backward(); torch.npu.synchronize()"
    )
    result = subprocess.run(
        [OPWELD, "run", "--software", "-q", "--", "python", "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env=os.environ | {"OPWELD_TRACE": "t.json"},
    )
    assert result.returncode == 0, result.stderr
    files = list(tmp_path.iterdir())
    assert len(files) == 1
    found = events(files[0])
    tasks = {item["name"]: item["args"] for item in found if item.get("cat") == "task"}
    assert tasks["aclnnTanh"] == {
        "self": "float32[2, 3]",
        "out": "float32[2, 3]",
        "operator": "aten::tanh",
    }
    assert tasks["aclnnTanhBackward"]["operator"].startswith("TanhBackward0 > aten::tanh_backward")
    operators = [item["name"] for item in found if item.get("cat") == "operator"]
    assert operators.index("aten::tanh") < operators.index("TanhBackward0")
    assert any(name.startswith("npu:0 stream ") for name in tracks(found).values())
