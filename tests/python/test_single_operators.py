"""Operators that torch_npu sends to the older single-operator interface."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


def test_dimensions_change_places(npu: NpuProcess) -> None:
    assert npu.call("single_operators:transposed") is True


def test_matrix_products_and_filling_with_jit_compile(npu: NpuProcess) -> None:
    result = npu.call("single_operators:compiled_just_in_time")
    assert result["products"] == result["expected"]
    assert result["filled"] == [2.5, 2.5, 2.5]


def test_dropout_with_a_byte_for_each_element(npu: NpuProcess) -> None:
    result = npu.call("single_operators:dropped", share=0.3)
    assert result.pop("kept") == pytest.approx(0.7, abs=0.02)
    assert result == {"forward": True, "backward": True, "again": True}
