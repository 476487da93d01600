"""Captured training graphs give each run results of its own, for one size and for several."""

from __future__ import annotations

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("backend", ["npugraph_ex", "reduce-overhead"])
@pytest.mark.parametrize("sizes", [[4, 4, 4], [4, 4, 6, 6, 4, 8, 6, 4]], ids=["one size", "three sizes"])
def test_hooks_and_gradients_of_results(npu: NpuProcess, backend: str, sizes: list[int]) -> None:
    found = npu.call("captured_results:training", backend=backend, sizes=sizes)
    assert found["calls"] == len(sizes)
    assert found["retained"] == len(sizes)
    assert found["results"] <= 1e-6
    assert found["gradients"] <= 1e-5
