"""`pytest -p opweld`: the whole run on the NPU, the software one where there is no other.

Options choose the number of devices, the SoC, and whether tests must give back their device memory. Markers
say what a test needs: `opweld_devices(n)`, `opweld_soc(name, ...)`, `opweld_keeps_memory`.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest

import opweld
from opweld.environment import Device
from opweld.errors import OpweldError

_DEVICE = pytest.StashKey[Device]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("opweld", "operators on Ascend NPUs")
    group.addoption("--opweld-devices", type=int, metavar="N", help="number of devices of the software NPU")
    group.addoption("--opweld-soc", metavar="NAME", help="what the software NPU is: Ascend910B1, Ascend950PR")
    group.addoption(
        "--opweld-leaks",
        choices=("off", "warn", "fail"),
        help="whether a test may keep device memory that it allocated (default: the ini option, or off)",
    )
    parser.addini("opweld_leaks", "the default of --opweld-leaks", default="off")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Puts the process on the NPU before any conftest can import torch."""
    chosen = early_config.known_args_namespace
    devices, soc = getattr(chosen, "opweld_devices", None), getattr(chosen, "opweld_soc", None)
    try:
        os.environ.setdefault("OPWELD_EXPLAIN", "1")
        early_config.stash[_DEVICE] = opweld.activate(devices=devices, soc=soc)
    except OpweldError as error:
        raise pytest.UsageError(f"opweld: {error}") from error


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers."""
    for line in (
        "opweld_devices(n): the test needs that many devices and is skipped where there are fewer",
        "opweld_soc(name, ...): the test is for these SoCs of the software NPU and skipped on others",
        "opweld_keeps_memory: the test may keep device memory, whatever --opweld-leaks says",
    ):
        config.addinivalue_line("markers", line)


def pytest_report_header(config: pytest.Config) -> str:
    """Says which device it is."""
    device = config.stash.get(_DEVICE, None)
    return f"opweld: {device.describe()}" if device else "opweld: no device was chosen"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips tests that this device cannot run."""
    device = item.config.stash.get(_DEVICE, None)
    if device is None:
        return
    needed = max((marker.args[0] for marker in item.iter_markers("opweld_devices")), default=1)
    if needed > 1 and needed > _device_count():
        pytest.skip(f"needs {needed} devices, there are {_device_count()}: --opweld-devices {needed}")
    for marker in item.iter_markers("opweld_soc"):
        if device.software and device.soc not in marker.args:
            pytest.skip(f"is for {', '.join(marker.args)}, this is {device.soc}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Explains a failure that comes from an operator or from the NPU, below its traceback."""
    report = yield
    if call.excinfo is not None and report.failed and os.environ.get("OPWELD_EXPLAIN") != "0":
        from opweld.explain import explain

        if explanation := explain(call.excinfo.value):
            report.sections.append(("opweld", str(explanation)))
    return report


def _device_count() -> int:
    import torch

    npu = getattr(torch, "npu", None)
    return int(npu.device_count()) if npu is not None else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Compares the allocated device memory before and after a test."""
    mode = item.config.getoption("--opweld-leaks") or item.config.getini("opweld_leaks")
    if mode == "off" or item.get_closest_marker("opweld_keeps_memory"):
        return (yield)
    before = _allocated()
    result = yield
    gc.collect()
    grown = {index: size - before.get(index, 0) for index, size in _allocated().items()}
    leaks = [f"{size} bytes on npu:{index}" for index, size in grown.items() if size > 0]
    if leaks:
        told = f"the test keeps device memory: {', '.join(leaks)}"
        if mode == "fail":
            pytest.fail(told, pytrace=False)
        item.warn(pytest.PytestWarning(told))
    return result


def _allocated() -> dict[int, int]:
    """Bytes that tensors hold, by device; none before the first use of an NPU."""
    import sys

    npu: Any = getattr(sys.modules.get("torch"), "npu", None)
    if npu is None or not npu.is_initialized():
        return {}
    npu.synchronize()
    return {index: int(npu.memory_allocated(index)) for index in range(npu.device_count())}


@pytest.fixture(scope="session")
def opweld_device(pytestconfig: pytest.Config) -> Device:
    """The NPU of this run: software or not, SoC, number of devices."""
    return pytestconfig.stash[_DEVICE]


@pytest.fixture(scope="session")
def npu_devices(opweld_device: Device) -> list[Any]:
    """All devices, as torch.device."""
    import torch

    return [torch.device("npu", index) for index in range(_device_count())]


@pytest.fixture
def npu_device(npu_devices: list[Any]) -> Any:
    """The first device, as torch.device."""
    return npu_devices[0]
