"""Attention for inference on the software NPU: layouts, lengths, masks, and updates of captured graphs."""

from __future__ import annotations

from typing import Any

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2}
DTYPES = tuple(TOLERANCE)


def _call(npu: NpuProcess, function: str, **arguments: Any) -> Any:
    return npu.call(f"infer_attention_checks:{function}", **arguments)


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_padded_layouts(npu: NpuProcess, dtype: str, form: int) -> None:
    found = _call(npu, "layouts", dtype=dtype, form=form)
    assert len(found) == 6
    assert max(found.values()) <= TOLERANCE[dtype], found


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_packed_layouts(npu: NpuProcess, dtype: str, form: int) -> None:
    found = _call(npu, "packed", dtype=dtype, form=form)
    assert len(found) == 4
    assert max(found.values()) <= TOLERANCE[dtype], found


def test_a_newer_soc_calls_the_fifth_version(npu950: NpuProcess) -> None:
    found = _call(npu950, "layouts", dtype="float16", form=2)
    assert max(found.values()) <= TOLERANCE["float16"], found


@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(npu: NpuProcess, dtype: str) -> None:
    found = _call(npu, "masks", dtype=dtype)
    assert len(found) == 11
    assert max(found.values()) <= TOLERANCE[dtype], found


@pytest.mark.parametrize("dtype", DTYPES)
def test_older_functions(npu: NpuProcess, dtype: str) -> None:
    found = _call(npu, "older_functions", dtype=dtype)
    assert max(found.values()) <= TOLERANCE[dtype], found


def test_what_is_not_supported_is_named(npu: NpuProcess) -> None:
    errors = _call(npu, "refused")
    expected = {
        "quantized": "argument 'key_antiquant_scale' is not supported here",
        "paged": "argument 'block_table' is not supported here",
        "rotary": "argument 'query_rope' is not supported here",
        "too long": "argument 'actualSeqLengthsKv' has 10 for item 1, expected 0 to 9 tokens",
        "too few": "no error",  # an empty list is no list
        "mode": "'sparseMode'",
        "no mask": "argument 'attenMask' is null, but 'sparseMode' is 1",
        "mask": "argument 'atten_mask' has the shape [2, 1, 5, 8], expected [2, 1, 5, 9]",
        "compressed": "the compressed mask of sparseMode 3",
        "no ends": "expected where each sequence ends in both, for the layout TND",
    }
    for name, text in expected.items():
        assert text in errors[name], (name, errors[name])


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize("layout", ["BNSD", "BSH", "TND"])
def test_a_captured_decode_loop_with_growing_lengths(npu: NpuProcess, layout: str, form: int) -> None:
    found = _call(npu, "decode_loop", form=form, layout=layout, dtype="float16")
    assert found["eager"] == 0
    assert found["cpu"] <= TOLERANCE["float16"]
