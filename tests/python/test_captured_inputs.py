"""Captured training graphs leave the tensors that they are given as they are."""

from __future__ import annotations

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
BACKENDS = pytest.mark.parametrize("backend", ["npugraph_ex", "reduce-overhead"])


@BACKENDS
def test_a_data_set_is_not_overwritten_by_training_on_its_slices(npu: NpuProcess, backend: str) -> None:
    found = npu.call("captured_inputs:data_set", backend=backend)
    assert found["intact"]
    assert found["difference"] <= 1e-5


@BACKENDS
def test_inputs_that_a_model_changes_are_changed(npu: NpuProcess, backend: str) -> None:
    assert all(npu.call("captured_inputs:changed_in_place", backend=backend))
