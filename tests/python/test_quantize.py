"""Quantization to int8 on the software NPU."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["dynamic", "given_scales", "after_norm"])
def test_values_equal_the_formulas(npu: NpuProcess, kind: str, dtype: str) -> None:
    found = npu.call(f"quantize_checks:{kind}", dtype=dtype)
    assert found
    assert all(found.values()), found


def test_what_is_not_supported_is_named(npu: NpuProcess) -> None:
    errors = npu.call("quantize_checks:refused")
    assert "argument 'group_index'" in errors["groups"]
    assert "argument 'y' has dtype" in errors["int4"]
    assert "argument 'smooth_scales' has shape [31], expected [32]" in errors["smooth"]
