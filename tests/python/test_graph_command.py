"""`opweld graph`: models that torchair wrote, and programs that compile some."""

from __future__ import annotations

import json
import xml.dom.minidom
from pathlib import Path

import pytest

from opweld.graph.report import Sizes, find_models, parse_shapes
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
    assert parse_shapes(["0=2,3", "x=", "graph_1:4=1"]) == [
        Sizes("", "0", [2, 3]),
        Sizes("", "x", []),
        Sizes("graph_1", "4", [1]),
    ]
    assert [path.name for path in find_models([MODELS])] == ["chain.air", "mlp.air", "open.air", "rows.air"]


@pytest.mark.parametrize("place", ["0", "graph_1:arg2_1"])
def test_open_sizes_are_given_by_number_or_name(opweld, place):
    result = opweld(
        "graph", MODELS / "open.air", "--shape", f"{place}=4,6", "--format", "json", "--runs", "0"
    )
    assert result.returncode == 0, result.stderr
    (report,) = json.loads(result.stdout)
    assert [step["bytes"] for step in report["steps"]] == [96, 96]
    assert report["no_steps"] is None


def test_open_sizes_of_the_first_run_lie_beside_the_model(opweld, tmp_path):
    (tmp_path / "open.air").write_bytes((MODELS / "open.air").read_bytes())
    (tmp_path / "open.inputs.json").write_text('{"0": {"shape": [8, 64]}}')
    result = opweld("graph", tmp_path, "--runs", "0")
    assert result.returncode == 0, result.stderr
    assert "open sizes, shown for: arg2_1 [8, 64]" in result.stdout


def test_a_model_with_open_sizes_is_shown_without_steps(opweld, tmp_path):
    result = opweld("graph", MODELS / "open.air", "--output", tmp_path)
    assert result.returncode == 0, result.stderr
    assert "float32 [-1, -1]" in result.stdout
    assert "input 0 ('arg2_1') has the open shape [-1, -1]" in result.stdout
    assert "--shape 0=" in result.stdout
    assert (tmp_path / "open_after.svg").exists()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("7=1,2", "no graph has an input '7'; graph_1 has 0 'arg2_1'"),
        ("other:0=1,2", "graph 'other' has no input '0'"),
        ("0=1", "input 0 ('arg2_1') has the shape [-1, -1]; the sizes given for it are [1]"),
    ],
)
def test_sizes_that_fit_no_input(opweld, shape, words):
    result = opweld("graph", MODELS / "open.air", "--shape", shape)
    assert result.returncode in (2, 3)
    assert words in result.stderr


def test_a_size_that_depends_on_a_value_is_not_guessed(opweld):
    result = opweld("graph", MODELS / "rows.air", "--shape", "0=6,3,4")
    assert result.returncode == 0, result.stderr
    assert "no memory and no times" in result.stdout
    assert "Reshape" in result.stdout


PROGRAM = """
import torch, torch_npu
from torch_npu.dynamo import torchair

def compiled(function, dynamic):
    return torch.compile(function, backend=torchair.get_npu_backend(), dynamic=dynamic)

x = torch.randn(6, 3, 4).npu()
compiled(lambda x: x.relu() + 1, False)(x)
torch._dynamo.reset()
compiled(lambda x, n: x.view(n, -1).sin() * n, True)(x, 2)
"""


def test_all_graphs_of_a_run_are_shown_with_the_sizes_that_they_met(opweld, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"python {tmp_path / 'program.py'}"
    result = opweld("graph", "--run", command, "--format", "json", "--runs", "1")
    assert result.returncode == 0, result.stderr
    fixed, halves = json.loads(result.stdout)
    assert [step["bytes"] for step in fixed["steps"]] == [288, 288]
    assert [one["shape"] for one in halves["inputs"]] == [[6, 3, 4], []]
    assert halves["after"]["nodes"][-2]["outputs"] == [{"dtype": "float32", "shape": [2, 36]}]
    assert halves["steps"]


def test_a_model_that_cannot_be_read_does_not_hide_the_others(opweld, tmp_path):
    (tmp_path / "a.air").write_bytes(b"nothing")
    (tmp_path / "b.air").write_bytes((MODELS / "chain.air").read_bytes())
    result = opweld("graph", tmp_path, "--runs", "0")
    assert result.returncode == 3
    assert "a.air" in result.stderr
    assert "largest live set" in result.stdout


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
