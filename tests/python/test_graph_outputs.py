"""Outputs of torchair's graphs that share memory are right, also where torchair alone gives other numbers."""

from __future__ import annotations

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
WRONG = (
    "slices",
    "slices of open size",
    "two in one storage",
    "view of the second",
    "gradients",
    "views of results",
    "views of a permuted result",
    "parts of results",
)
RIGHT = ("inference", "static")


@pytest.mark.parametrize("name", [*WRONG, *RIGHT])
def test_outputs_are_right_and_warned_of_where_torchair_alone_is_wrong(npu: NpuProcess, name: str) -> None:
    """Where torchair alone is right in all of these, opweld's part of it can go."""
    found = npu.call("graph_outputs:compare", name=name, alone=False)
    alone = npu.call("graph_outputs:compare", name=name, alone=True)
    assert found["difference"] <= 1e-5
    assert (alone["difference"] > 0.1) == (name in WRONG)
    assert bool(found["warnings"]) == (name in WRONG)
    assert not alone["warnings"]


def test_views_out_of_torchairs_cache_begin_where_their_input_does(npu: NpuProcess) -> None:
    assert npu.call("graph_outputs:cached") <= 1e-6
