"""Operators of the graph engine, compiled through torchair, against eager mode."""

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu

FLOATING = ["float32", "float16", "bfloat16"]
SIZES = {
    "normalization": 9,
    "loss": 7,
    "indexing": 20,
    "padding": 4,
    "shapes": 12,
    "order": 6,
    "elements": 8,
    "floating": 9,
}
DIFFERENTIATED = {
    "normalization": ["x", "weight", "bias", "channel_weight", "channel_bias"],
    "loss": ["x", "y", "scores"],
    "indexing": ["x", "y", "scores", "table"],
    "padding": ["x"],
    "shapes": ["x", "y"],
    "order": ["x"],
    "elements": ["x", "y"],
    "floating": ["x", "y", "weight"],
}
INTEGERS = {"indexing": 19, "padding": 3, "shapes": 12, "order": 6, "elements": 8}


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("family", SIZES)
def test_static_shapes(npu: NpuProcess, family: str, dtype: str) -> None:
    assert (
        npu.call("graph_operator_cases:compiled", family=family, dtype=dtype, dynamic=False) == SIZES[family]
    )


@pytest.mark.parametrize("family", SIZES)
def test_dynamic_shapes(npu: NpuProcess, family: str) -> None:
    assert (
        npu.call("graph_operator_cases:compiled", family=family, dtype="float32", dynamic=True)
        == SIZES[family]
    )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("family", INTEGERS)
def test_integers(npu: NpuProcess, family: str, dynamic: bool) -> None:
    count = npu.call("graph_operator_cases:compiled", family=family, dtype="int64", dynamic=dynamic)
    assert count == INTEGERS[family]


@pytest.mark.parametrize("family", list(DIFFERENTIATED))
def test_gradients(npu: NpuProcess, family: str) -> None:
    inputs = npu.call("graph_operator_cases:gradients", family=family, dtype="float32")
    assert inputs == DIFFERENTIATED[family]


def test_random_numbers_are_those_of_eager_mode(npu: NpuProcess) -> None:
    assert npu.call("graph_operator_cases:random_numbers") == 5


GRADIENTS = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", GRADIENTS)
def test_gradients_of_products_of_all_ranks(npu: NpuProcess, dtype: str, dynamic: bool) -> None:
    assert npu.call("graph_gradients:matmul", dtype=dtype, dynamic=dynamic) <= GRADIENTS[dtype]


@pytest.mark.parametrize("wanted", [[True, False], [False, True]])
def test_gradients_of_one_factor(npu: NpuProcess, wanted: list[bool]) -> None:
    assert npu.call("graph_gradients:matmul", dtype="float32", dynamic=True, wanted=wanted) <= 1e-5


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", GRADIENTS)
def test_gradients_of_silu(npu: NpuProcess, dtype: str, dynamic: bool) -> None:
    assert npu.call("graph_gradients:silu", dtype=dtype, dynamic=dynamic) <= GRADIENTS[dtype]


@pytest.mark.parametrize(("training", "affine"), [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize(("dtype", "dynamic"), [("float32", True), ("float16", False), ("bfloat16", True)])
def test_gradients_of_batch_norms(
    npu: NpuProcess, dtype: str, dynamic: bool, training: bool, affine: bool
) -> None:
    found = npu.call(
        "graph_gradients:batch_norm", dtype=dtype, dynamic=dynamic, training=training, affine=affine
    )
    assert found <= GRADIENTS[dtype]


@pytest.mark.parametrize("dtype", GRADIENTS)
def test_gradients_of_a_batch_norm_by_saved_statistics(npu: NpuProcess, dtype: str) -> None:
    assert npu.call("graph_gradients:saved_statistics", dtype=dtype) <= GRADIENTS[dtype]
