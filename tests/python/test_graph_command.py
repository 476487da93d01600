"""`opweld graph`: models that torchair wrote, and programs that compile some."""

from __future__ import annotations

import json
import xml.dom.minidom
from pathlib import Path

import pytest

from opweld.graph.report import find_models, parse_shapes
from opweld.graph.svg import draw, layers

MODELS = Path(__file__).parents[1] / "fuzz/npu/ge/model/graph_reader_fuzzer_corpus"


def test_a_model_before_and_after_the_passes(opweld, tmp_path):
    result = opweld("graph", MODELS / "mlp.air", "--format", "json", "--output", tmp_path)
    assert result.returncode == 0, result.stderr
    (report,) = json.loads(result.stdout)
    before, after = ([node["type"] for node in report[state]["nodes"]] for state in ("before", "after"))
    assert before.count("Mul") == 3
    assert "Mul" not in after
    assert {p["name"]: p["changes"] for p in report["passes"]}["remove-neutral-operations"] == 3
    fused = [step for step in report["steps"] if step["kind"] == "fused"]
    assert [len(step["nodes"]) for step in fused] == [3, 3]
    assert all(step["microseconds"] > 0 for step in report["steps"])
    assert report["memory"]["bytes"] <= report["memory"]["largest_live_set"]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["mlp_after.onnx.pbtxt", "mlp_after.svg", "mlp_before.onnx.pbtxt", "mlp_before.svg"]
    xml.dom.minidom.parse(str(tmp_path / "mlp_after.svg"))
    assert 'op_type: "MatMulV2"' in (tmp_path / "mlp_after.onnx.pbtxt").read_text()


def test_the_table(opweld):
    result = opweld("graph", MODELS, "--runs", "0")
    assert result.returncode == 0, result.stderr
    assert "MatMulV2 + Add + Gelu (fused" in result.stdout
    assert "largest live set" in result.stdout


def test_passes_can_be_switched_off(opweld, monkeypatch):
    monkeypatch.setenv("OPWELD_GRAPH_PASSES", "none")
    result = opweld("graph", MODELS / "chain.air", "--format", "json", "--runs", "0")
    (report,) = json.loads(result.stdout)
    assert report["passes"] == []
    assert all(step["kind"] != "fused" for step in report["steps"])
    monkeypatch.setenv("OPWELD_GRAPH_PASSES", "-fuse-chain")
    result = opweld("graph", MODELS / "chain.air")
    assert result.returncode == 3
    assert "'-fuse-chain' is no pass" in result.stderr
    assert "fuse-chains" in result.stderr


def test_a_damaged_model_is_told(opweld, tmp_path):
    broken = tmp_path / "broken.air"
    broken.write_bytes((MODELS / "mlp.air").read_bytes()[:2000])
    result = opweld("graph", broken)
    assert result.returncode == 3
    assert "broken.air" in result.stderr
    assert "byte" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a model or folder"),
        (["nowhere.air"], "nowhere.air does not exist"),
        ([str(MODELS / "mlp.air"), "--shape", "0:2"], "write INPUT=SIZES"),
        (["--run", "nowhere-at-all"], "'nowhere-at-all' cannot be run"),
    ],
)
def test_wrong_use(opweld, arguments, words):
    result = opweld("graph", *arguments)
    assert result.returncode in (2, 3)
    assert words in result.stderr


def test_shapes_and_models(tmp_path):
    assert parse_shapes(["0=2,3", "4="]) == {"0": [2, 3], "4": []}
    assert [path.name for path in find_models([MODELS])] == ["chain.air", "mlp.air"]


def test_layers_lie_below_what_they_read():
    nodes = [
        {"name": "a", "type": "Data", "inputs": [], "outputs": []},
        {"name": "b", "type": "Neg", "inputs": [["a", 0]], "outputs": [{"dtype": "float32", "shape": [2]}]},
        {"name": "c", "type": "Add", "inputs": [["a", 0], ["b", 0], None], "outputs": []},
    ]
    assert layers(nodes) == [[0], [1], [2]]
    picture = draw("<title>", nodes)
    assert picture.count("<path") == 3
    xml.dom.minidom.parseString(picture)
