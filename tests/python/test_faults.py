"""Devices that break on purpose: torch_npu's own errors, and what goes on afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu

# What torch_npu says for each kind; on an Ascend950 it adds what the device says itself.
ERRORS = {
    "kernel@30": (r"error code is 507015", r"aclnn\w+: the kernel failed with an exception"),
    "kernel@2:aclnnTanh": (r"error code is 507015", r"aclnnTanh: the kernel failed"),
    "abort@30": (r"NPU function error: (device error type 0, )?FORCE STOP, error code is 107022", ""),
    "abort@20+": (r"FORCE STOP, error code is 107022", ""),
    "memory@30": (r"error code is 507053", r"device memory has an uncorrectable error"),
    "ecc@30": (r"HBM MULTI BIT ECC ERROR\..*error code is 507054", r"device memory has several wrong bits"),
    "link@30": (r"(HCCS|UB) LINK ERROR, error code is 507056", r"the link to the peer was lost"),
}


@pytest.fixture(scope="module")
def broken() -> Iterator[NpuProcess]:
    """A process whose device has no more memory from the second allocation on, until that is taken away."""
    process = NpuProcess(environ={"OPWELD_FAULTS": "oom@2+"})
    small, none, large = process.call("fault_programs:from_the_environment", timeout=180)
    assert small == "3.0"
    assert "NPU out of memory. Tried to allocate 42.00 MiB" in none
    assert large == "1"
    yield process
    process.close()


@pytest.mark.parametrize("faults", ERRORS)
@pytest.mark.parametrize("soc", ["broken", "npu950"])
def test_training_meets_a_fault_and_starts_again(
    soc: str, faults: str, request: pytest.FixtureRequest
) -> None:
    process = request.getfixturevalue(soc)
    found = process.call("fault_programs:training", faults=faults, timeout=180)
    [(kind, message)] = found.pop("errors")
    assert kind == "RuntimeError"
    for expected in ERRORS[faults]:
        assert re.search(expected, message, re.DOTALL), message
    assert found == {"done": True, "right": True}


def test_allocations_fail(broken: NpuProcess) -> None:
    found = broken.call("fault_programs:out_of_memory", timeout=120)
    assert "NPU out of memory. Tried to allocate 42.00 MiB" in found.pop("oom@1+")
    assert found == {"oom@1": "no error", "after": 1}


def test_a_hanging_task_ends_when_the_device_is_stopped(broken: NpuProcess) -> None:
    found = broken.call("fault_programs:hanging", timeout=120)
    assert "FORCE STOP, error code is 107022" in found["error"]
    assert found["waited"] >= 0.4
    assert found["stopped"] == 0
    assert found["after"] == [2.0, 2.0, 2.0, 2.0]


def test_a_wrong_specification_is_refused(broken: NpuProcess) -> None:
    message = broken.call("fault_programs:misspelt")
    assert '"broken@1" is of an unknown kind' in message
    assert "oom, kernel, abort" in message
