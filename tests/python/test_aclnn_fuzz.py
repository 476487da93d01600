"""No arguments make an aclnn function crash or hang, and what is missing says so."""

import functools
import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from npu_process import OPWELD, NpuProcess
from test_aclnn_functions import FAMILIES

HERE = Path(__file__).parent
INVENTORY = HERE.parents[1] / "npu" / "aclnn" / "inventory.tsv"
CHUNK = 1000  # sets that one process gets
PATIENCE = 30  # seconds until a call that does not return is a hang
MOST_MEMORY = 4 << 30  # bytes that one process may use
# What ATen says of dtypes, shapes and numbers, which the first phase sees: hardly ever may it come later.
SEEN_EARLIER = (
    "not implemented for",
    "can't be cast",
    "Expected out tensor to have dtype",
    "cannot be converted to type",
    "must match the size",
    "not supported for",
)

pytestmark = pytest.mark.npu


# With OPWELD_CANN a build with -fsanitize=address, which needs its runtime in a process first (and, since
# Python is C, the C++ library next). The handler of bad device addresses keeps its signals.
SANITIZED = os.environ.get("OPWELD_FUZZ_SANITIZED") == "1"
ASAN_OPTIONS = ":".join(
    f"{name}={value}"
    for name, value in {
        "detect_leaks": 0,
        "allow_user_segv_handler": 1,
        "protect_shadow_gap": 0,
        "detect_container_overflow": 0,  # libtorch is not instrumented
        "allocator_may_return_null": 1,
    }.items()
)


@functools.cache
def _sanitizer() -> list[str]:
    if not SANITIZED:
        return []
    found = [
        subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
        for name in ("libasan.so", "libstdc++.so.6")
    ]
    return ["env", f"LD_PRELOAD={' '.join(map(str.strip, found))}", f"ASAN_OPTIONS={ASAN_OPTIONS}"]


def _command(*arguments: object) -> list[str]:
    script = [sys.executable, str(HERE / "aclnn_fuzz.py"), *map(str, arguments)]
    return [str(OPWELD), "run", "--software", "--quiet", "--", *_sanitizer(), *script]


def _memory(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


class Child:
    """A process that makes calls, read line by line."""

    def __init__(self, *arguments: object) -> None:
        self.lines: list[dict[str, Any]] = []
        self.fault = ""
        process = subprocess.Popen(_command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        rest, heard = b"", time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not self.fault:
                if selector.select(1):
                    piece = process.stdout.read() or b""
                    if not piece:
                        break
                    *whole, rest = (rest + piece).split(b"\n")
                    self.lines += map(json.loads, whole)
                    heard = time.monotonic()
                if time.monotonic() - heard > PATIENCE:
                    self.fault = f"did not return within {PATIENCE} s"
                if _memory(process.pid) > MOST_MEMORY:
                    self.fault = f"took more than {MOST_MEMORY >> 30} GiB of memory"
        if self.fault:
            process.kill()
        status = process.wait()
        process.stdout.close()
        if status and not self.fault:
            self.fault = f"ended the process with status {status}"


def fuzz(seed: int, sets: int, corpus: Path) -> tuple[Counter[str], list[str], list[str]]:
    """How the sets ended, the faults, and what was refused while it ran though it could have been before.

    A set at fault is left out, and the rest of its chunk goes on.
    """
    ends: Counter[str] = Counter()
    faults: list[str] = []
    late: list[str] = []
    first = 0
    while first < sets and len(faults) < 20:
        child = Child("fuzz", seed, first, min(CHUNK, sets - first), corpus)
        done = [line for line in child.lines if "end" in line]
        ends.update(line["end"] for line in done)
        faults += [f"{line['message']}: names no function" for line in done if not line["named"]]
        late += [
            line["message"]
            for line in done
            if line["end"] == "failed later" and any(text in line["message"] for text in SEEN_EARLIER)
        ]
        if child.fault:
            last = {key: value for line in child.lines[-2:] for key, value in line.items()}
            faults.append(
                f"{last.get('name')} {child.fault}: {last.get('text')}\n"
                f"  again: opweld run -- python {HERE}/aclnn_fuzz.py fuzz {seed} {last.get('index')} 1"
            )
            first = last.get("index", first + CHUNK) + 1
        else:
            first += CHUNK
    return ends, faults, late


@pytest.fixture(scope="module")
def corpus(npu: NpuProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "calls.json"
    # What records knows nothing of the sanitizer.
    recorder = NpuProcess(environ={"OPWELD_CANN": ""}) if SANITIZED else npu
    assert recorder.call("aclnn_fuzz_corpus:record", path=str(path), families=FAMILIES, timeout=600) > 500
    if recorder is not npu:
        recorder.close()
    return path


@pytest.mark.parametrize("sets", [5000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_random_arguments_neither_crash_nor_hang(sets: int, corpus: Path) -> None:
    ends, faults, late = fuzz(20260, sets, corpus)
    assert not faults, "\n".join(faults)
    assert len(late) <= sets / 250, "\n".join(late)
    assert ends.total() == sets
    # Else it would be about refusals alone.
    assert ends["ran"] > sets / 10
    assert ends["refused"] > sets / 10


def test_what_is_missing_raises_and_names_itself() -> None:
    child = Child("walk", INVENTORY)
    assert not child.fault
    assert child.lines
    for row in child.lines:
        if row["status"] == "absent":
            assert not row["exported"], row
        else:
            assert row["exported"], row
            assert row["code"] == 561003, row
            assert row["message"].startswith(f"{row['name']}: the software NPU does not implement"), row
