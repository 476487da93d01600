"""Whole models compiled in both graph modes: inference and training equal eager mode and the CPU."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
LIMIT = 600
CAPTURED = ("npugraph_ex", "reduce-overhead")
# To eager mode on the NPU, and to the CPU, whose sums of 16-bit numbers are other ones.
TO_EAGER = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}
TO_CPU = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}
QUICK = {
    ("graph", "mlp", "float16", False),
    ("graph", "resnet", "bfloat16", True),
    ("graph", "transformer", "float32", False),
    ("graph", "written decoder", "bfloat16", True),
    ("graph", "decoder", "float16", False),
    ("reduce-overhead", "mlp", "bfloat16", True),
}


def _cases() -> list[Any]:
    cases = []
    for mode in ("graph", *CAPTURED):
        for model in ("mlp", "resnet", "transformer", "decoder", "written decoder"):
            for dtype in TO_EAGER:
                for dynamic in (False, True):
                    case = (mode, model, dtype, dynamic)
                    marks = () if case in QUICK else pytest.mark.slow
                    cases.append(pytest.param(*case, marks=marks))
    return cases


def check(found: dict[str, Any], dtype: str) -> None:
    """Differences within the dtype's tolerance, and losses that fall."""
    assert found["to_eager"] <= TO_EAGER[dtype]
    assert found["to_cpu"] <= TO_CPU[dtype]
    assert found["parameters"] <= TO_EAGER[dtype]
    assert found["statistics"] <= TO_EAGER[dtype]
    assert found["graphs"] >= 2  # inference and training
    losses = found["losses"]
    assert all(math.isfinite(loss) for loss in losses["eager"])
    assert losses["compiled"] == pytest.approx(losses["eager"], rel=TO_EAGER[dtype])
    assert losses["compiled"] == pytest.approx(losses["cpu"], rel=TO_CPU[dtype])


def test_attention_is_in_the_first_graph_of_a_process(npu: NpuProcess) -> None:
    """It stands first in this file."""
    found = npu.call("compiled_models:first_graph", dropout=0.3)
    assert found["difference"] <= 1e-6
    assert found["between_runs"] > 0.1
    assert npu.call("compiled_models:first_graph", dropout=0.0)["difference"] <= 1e-6


@pytest.mark.parametrize(("mode", "model", "dtype", "dynamic"), _cases())
def test_a_model_equals_eager_mode(npu: NpuProcess, mode: str, model: str, dtype: str, dynamic: bool) -> None:
    found = npu.call(
        "compiled_models:compare", timeout=LIMIT, model=model, dtype=dtype, dynamic=dynamic, mode=mode
    )
    check(found, dtype)
    # torch_npu chooses the kernel of scaled_dot_product_attention by sizes, in inference and in training.
    fixes_sizes = dynamic and model in ("transformer", "decoder")
    assert found["recompilations"] == (2 if fixes_sizes else 0)


@pytest.mark.slow
def test_batch_norms_in_16_bits_on_the_other_soc(npu950: NpuProcess) -> None:
    found = npu950.call(
        "compiled_models:compare", model="resnet", dtype="bfloat16", dynamic=False, mode="graph"
    )
    check(found, "bfloat16")


@pytest.mark.parametrize("dynamic", [False, True])
def test_dropout_of_an_encoder_is_that_of_eager_mode(npu: NpuProcess, dynamic: bool) -> None:
    losses = npu.call("compiled_models:dropout_in_encoder", dynamic=dynamic)
    assert losses["compiled"] == pytest.approx(losses["eager"], rel=1e-5)
    assert len(set(losses["eager"])) == 3


@pytest.mark.parametrize("dtype", TO_EAGER)
@pytest.mark.parametrize("attention", [False, True])
def test_dropout_drops_what_eager_mode_drops(npu: NpuProcess, dtype: str, attention: bool) -> None:
    found = npu.call("compiled_models:places_of_dropout", dtype=dtype, attention=attention)
    assert 6000 < found["dropped"] < 7200
    assert found["unlike"] == 0


def test_random_numbers_with_new_sizes_are_those_of_eager_mode(npu: NpuProcess) -> None:
    assert npu.call("compiled_models:random_numbers_with_new_sizes") == 2


@pytest.mark.parametrize(
    ("case", "words", "rule"),
    [
        (
            "matmul",
            r"perm \[1, 0\] has 2 numbers, but x, \[2, 8, 8\].*results of aten.matmul_backward",
            "OW851",
        ),
        ("matmul of one", r"matmul_backward currently only support mask == \[True, True\]", "OW851"),
        ("silu", "silu_backward.default ge_converter is not implemented", "OW841"),
        ("batch norm", r"\[DT_FLOAT\] is not equal to FX graph NetOutput: \[DT_BFLOAT16\]", "OW846"),
    ],
)
def test_what_torchair_refuses_alone_is_explained(npu: NpuProcess, case: str, words: str, rule: str) -> None:
    found = npu.call("compiled_models:torchair_alone", case=case)
    assert re.search(words, found["error"])
    assert found["rule"] == rule


def test_pooling_trains_in_the_graph_engine(npu: NpuProcess) -> None:
    assert npu.call("compiled_models:pooling", mode="graph")["difference"] <= 1e-6


def test_pooling_in_a_captured_graph_is_explained(npu: NpuProcess) -> None:
    found = npu.call("compiled_models:pooling", mode="npugraph_ex")
    assert "expected size 9==4" in found["error"]
    assert found["rule"] == "OW802"
