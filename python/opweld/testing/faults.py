"""The fixture `npu_faults` of `pytest -p opweld`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from opweld.environment import Device
from opweld.faults import inject_faults, set_faults


@pytest.fixture
def npu_faults(opweld_device: Device) -> Iterator[Callable[[str], AbstractContextManager[None]]]:
    """`opweld.inject_faults`; the test is skipped on a real NPU, and no fault outlives it."""
    if not opweld_device.software:
        pytest.skip("faults can be injected into the software NPU only")
    yield inject_faults
    set_faults("")
