"""Chains of views in torchair's graphs are right, also where torchair alone loses a transposition."""

from __future__ import annotations

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
LOST = ("gradient", "input", "result", "einsum", "heads", "two", "permuted")
LOST_WITH_OPEN_SIZES = ("heads", "two")
KEPT = ("ones", "no view")
CASES = [(chain, dynamic) for chain in (*LOST, *KEPT) for dynamic in (False, True)]


@pytest.mark.parametrize(("chain", "dynamic"), CASES)
def test_chains_are_right_and_warned_of_where_torchair_alone_is_wrong(
    npu: NpuProcess, chain: str, dynamic: bool
) -> None:
    """Where torchair alone is right in all of these, opweld's part of it can go."""
    found = npu.call("graph_views:compare", chain=chain, dynamic=dynamic)
    alone = npu.call("graph_views:compare", chain=chain, dynamic=dynamic, alone=True)
    lost = chain in (LOST_WITH_OPEN_SIZES if dynamic else LOST)
    assert found["difference"] <= 1e-6
    assert (alone["difference"] > 0.1) == lost
    assert bool(found["warnings"]) == lost
    assert all("graph_views.py:" in text for text in found["warnings"])
    assert not alone["warnings"]


def test_nobody_is_warned_without_the_optimization(npu: NpuProcess) -> None:
    found = npu.call("graph_views:compare", chain="result", dynamic=False, optimize=False)
    assert found["difference"] <= 1e-6
    assert not found["warnings"]
