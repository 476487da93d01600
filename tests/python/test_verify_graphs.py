"""`opweld verify` in graphs: which of Meta, InferShape and the kernel stands alone, and compiled results."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
pytestmark = pytest.mark.npu
CHECKS = ("infershape", "torchair", "npugraph-ex")


@pytest.fixture(scope="module")
def outcomes(opweld, tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "report.json"
    checks = [f"--check={check}" for check in CHECKS]
    result = opweld(
        "verify",
        "verify_graph_operators",
        "--device=npu",
        "--dtype=float32",
        f"--json={path}",
        *checks,
        cwd=HERE,
        timeout=1500,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    return json.loads(path.read_text())["outcomes"]


def told(outcomes, name, check):
    """The different (status, detail) of a check of an operator."""
    return {
        (item["status"], item["detail"])
        for item in outcomes
        if item["operator"] == f"opweld_graph::{name}" and item["check"] == check
    }


@pytest.mark.parametrize("check", CHECKS)
def test_a_right_operator_passes(outcomes, check):
    assert {status for status, _ in told(outcomes, "right", check)} == {"passed"}


@pytest.mark.parametrize(
    ("name", "who"),
    [("infershape_alone", "InferShape"), ("meta_alone", "Meta"), ("kernel_alone", "the kernel")],
)
def test_the_one_that_stands_alone_is_named(outcomes, name, who):
    found = told(outcomes, name, "infershape")
    failed = [detail for status, detail in found if status == "failed"]
    assert failed
    assert all(detail.startswith(f"{who} stands alone about the shape of the result") for detail in failed)


def test_other_values_in_the_graph_engine_are_found(outcomes):
    assert {status for status, _ in told(outcomes, "other_values", "infershape")} == {"passed"}
    [(status, detail)] = told(outcomes, "other_values", "torchair")
    assert status == "failed"
    assert "the eager result, compiled with static shapes" in detail
    assert {status for status, _ in told(outcomes, "other_values", "npugraph-ex")} == {"passed"}


def test_an_operator_without_converter_is_no_fault(outcomes):
    for check in ("infershape", "torchair"):
        [(status, detail)] = told(outcomes, "no_converter", check)
        assert status == "skipped"
        assert "No AscendIR NoConverter was found" in detail
    assert {status for status, _ in told(outcomes, "no_converter", "npugraph-ex")} == {"passed"}


def test_a_formula_is_compiled_in_the_operators_place(outcomes):
    for name in ("decomposed", "decomposed_beyond_torchair"):
        [(status, detail)] = told(outcomes, name, "infershape")
        assert status == "skipped"
        assert detail.startswith("decomposed: graphs get other operators in its place")
    assert {status for status, _ in told(outcomes, "decomposed", "torchair")} == {"passed"}
    [(status, detail)] = told(outcomes, "decomposed_beyond_torchair", "torchair")
    assert status == "failed"
    assert "decomposed into its formula, torch.compile (static shapes) fails: NotImplementedError" in detail
    assert "aten.special_i1e.default" in detail


@pytest.mark.parametrize("first", ["npugraph-ex", "torchair"])
def test_one_worker_compiles_with_both_in_either_order(opweld, tmp_path, first):
    path = tmp_path / "report.json"
    names = ["opweld_graph::no_converter", "opweld_graph::right"]  # torchair doesn't compile the first one
    result = opweld(
        "verify",
        "verify_graph_operators",
        *(names if first == "npugraph-ex" else reversed(names)),
        "--check=torchair",
        "--check=npugraph-ex",
        "--device=npu",
        "--dtype=float32",
        "--jobs=1",
        f"--json={path}",
        cwd=HERE,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(path.read_text())["outcomes"]
    for name, torchair in (("right", "passed"), ("no_converter", "skipped")):
        assert {status for status, _ in told(found, name, "torchair")} == {torchair}
        assert {status for status, _ in told(found, name, "npugraph-ex")} == {"passed"}
