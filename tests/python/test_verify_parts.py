"""The parts of `opweld verify` one by one: samples of specs, steps, layouts, plans, reports."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cpu_torch import torch
from opweld.verify import plan, run, steps
from opweld.verify.arguments import LAYOUTS, Arguments, in_layout, repeat_slices
from opweld.verify.model import Case, OperatorInfo, Outcome, Report, Task
from opweld.verify.report import data, markdown, page, pictures
from opweld.verify.report.junit import junit
from opweld.verify.report.summary import faults, rows, sentence
from opweld.verify.rules import load_rules
from opweld.verify.sources import file
from opweld.verify.sources.spec import samples

GOOD = Path(__file__).parents[1] / "data" / "spec" / "good"
TUTORIAL = Path(__file__).parents[2] / "examples" / "custom_linear" / "spec.yaml"


@pytest.mark.parametrize("spec", [TUTORIAL, GOOD / "all_types.yaml"], ids=["tutorial", "all_types"])
def test_samples_of_a_spec_satisfy_it(spec):
    counts = {}
    for name, rules in load_rules(spec, 5).items():
        made = samples(rules, 5)
        assert made, name
        assert all(rules.accepts(arguments) for arguments in made), name
        counts[name] = len(made)
    assert max(counts.values()) > 8


def test_the_seed_decides():
    one, again, other = (
        samples(load_rules(TUTORIAL, seed)["npu::npu_custom_linear"], seed) for seed in (1, 1, 2)
    )
    assert [str(sample) for sample in one] == [str(sample) for sample in again]
    assert [str(sample) for sample in one] != [str(sample) for sample in other]


def test_what_a_spec_refuses():
    rules = load_rules(TUTORIAL, 0)["npu::npu_custom_linear"]
    x, weight, bias = torch.randn(4, 3), torch.randn(5, 3), torch.randn(5)

    def accepts(*positional, use_bias=False):
        return rules.accepts(Arguments(positional, {"use_bias": use_bias}))

    assert accepts(x, weight, None)
    assert accepts(x[:0], weight, bias, use_bias=True)
    assert not accepts(x, weight, None, use_bias=True)
    assert not accepts(x, weight.mT, None)
    assert not accepts(x, weight.half(), None)
    assert not accepts(x.double(), weight.double(), None)
    assert not rules.accepts_dtype(torch.float64)
    assert rules.accepts_dtype(torch.bfloat16)


def test_bound_arguments_stand_in_the_reference():
    rules = load_rules(TUTORIAL, 0)["npu::npu_custom_linear_with_bias"]
    x, weight, bias = torch.randn(4, 3), torch.randn(5, 3), torch.randn(5)
    torch.testing.assert_close(rules.reference(x, weight, bias), torch.nn.functional.linear(x, weight, bias))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (0, 3), (1, 1)])
def test_layouts_keep_shape_and_values(layout, shape):
    tensor = torch.randn(shape)
    if layout == "expanded":
        tensor = repeat_slices(tensor)
    made = in_layout(tensor, layout, "cpu")
    assert torch.equal(made, tensor)
    if len(shape) > 1 and tensor.numel() > 1:
        assert made.is_contiguous() == (layout == "contiguous")


def test_steps():
    arguments = Arguments((torch.arange(12.0).reshape(3, 4), torch.randn(4), None), {"k": torch.randn(3)})
    assert [list(t.shape) for t in steps.apply(arguments, ("size", 4, 0)).tensors()] == [[3, 0], [0], [3]]
    grown = steps.apply(arguments, ("grow", 3, 7, 1))
    assert [list(t.shape) for t in grown.tensors()] == [[7, 4], [4], [7]]
    assert torch.equal(grown.tensors()[0], steps.apply(arguments, ("grow", 3, 7, 1)).tensors()[0])
    assert list(steps.apply(arguments, ("rank", 0, 1)).positional[0].shape) == [3]
    assert steps.apply(arguments, ("none", 1)).positional[1] is None
    assert steps.apply(arguments, ("plain", 1)).positional[1].tolist() == [1, 2, 3, 4]
    offered = steps.smaller(arguments, {1})
    assert ("size", 4, 1) in offered
    assert ("none", 1) in offered
    assert ("none", 0) not in offered
    with pytest.raises(ValueError, match="'turn' does not exist"):
        steps.apply(arguments, ("turn",))


def test_a_case_travels_as_json():
    case = Case(3, "float32", "large", "sliced", (("grow", 3, 7, 1),))
    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
    assert case.label == "large, sliced"


def test_a_plan_chooses_devices_dtypes_and_plain_samples():
    cases = [
        Case(0, "float32", "small 1"),
        Case(0, "float32", "small 1", "sliced"),
        Case(1, "float16", "small 1"),
        Case(2, "int64", "small 1"),
        Case(3, "float32", "empty"),
    ]
    answer = {"cases": [case.to_json() for case in cases], "devices": ["npu", "cpu"], "reason": ""}
    common = {"devices": ["npu", "cpu"], "limit": 0, "per_dtype": False, "floating": False, "dtype": ""}
    checks = [
        {**common, "name": "result", "cases": "all"},
        {**common, "name": "streams", "cases": "plain", "devices": ["npu"], "limit": 2},
        {**common, "name": "gradients", "cases": "plain", "floating": True},
        {**common, "name": "autocast", "cases": "plain", "dtype": "float32"},
    ]
    made = plan.make_plan("ns::op", answer, checks, [], None)
    tasks = {
        name: [task for task in made.tasks if task.check == name] for name in [c["name"] for c in checks]
    }
    assert {name: len(found) for name, found in tasks.items()} == {
        "result": 10,
        "streams": 2,
        "gradients": 4,
        "autocast": 2,
    }
    assert len(plan.make_plan("ns::op", answer, checks, ["autocast"], "cpu").tasks) == 1
    none = plan.make_plan("ns::op", {**answer, "devices": []}, checks, [], None)
    assert none.reason == "it has no kernel for a device of this machine"


@pytest.fixture
def report():
    def outcome(check, status, **more):
        return Outcome("ns::op", check, "npu", "float16", more.pop("label", "small 1"), status, **more)

    outcomes = [
        outcome("result", "passed", error=0.5, histogram={"equal": 5, "-7": 2}, seconds=1.5),
        outcome(
            "result",
            "failed",
            label="small 2",
            kind="value",
            detail="1 < 2 & \x00 | not 3",
            reproduction=["import torch", "print(1)"],
            histogram={"0": 3},
        ),
        outcome("result", "failed", label="large", kind="value", detail="another"),
        outcome("vmap", "skipped", detail="there is no batching rule"),
    ]
    infos = [OperatorInfo("ns::op", "ns::op(Tensor x) -> Tensor", "/project/spec.yaml", 4, 9)]
    idle = OperatorInfo("ns::idle", "ns::idle() -> ()")
    reason = Outcome("ns::idle", "result", "", "", "", "skipped", "no sample")
    return Report(
        "spec.yaml", 7, "software NPU", {"torch": "2"}, [*infos, idle], [*outcomes, reason], "", 12.0, 3
    )


def test_the_figures(report):
    result, vmap, idle = rows(report)
    assert (result.passed, result.failed, result.error, result.status) == (1, 2, 0.5, "failed")
    assert (vmap.status, idle.status) == ("skipped", "skipped")
    assert [fault.label for fault in faults(report)] == ["small 2"]
    assert sentence(report) == (
        "2 operators, 1 passed, 2 skipped, 2 failed (1 different fault), "
        "3 not run: the budget was used up; seed 7, 12.0 s"
    )


def test_junit_takes_any_text(report):
    root = ElementTree.fromstring(junit(report))
    assert [failure.get("message") for failure in root.iter("failure")] == ["1 < 2 & ? | not 3", "another"]


def test_sarif_names_the_line_of_the_spec(report):
    (result,) = json.loads(data.sarif(report, "1"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "file:///project/spec.yaml"
    assert place["region"] == {"startLine": 4, "startColumn": 9}


def test_markdown(report):
    lines = markdown.markdown(report).splitlines()
    assert lines[4].startswith("| `ns::op` | 1 | 2 | **result** (float16, small 2): 1 < 2 &")
    assert "\\| not 3" in lines[4]
    assert lines[-1] == "- no sample: `ns::idle`"


def test_the_page_escapes_what_it_shows(report):
    text = page.page(report)
    assert "1 &lt; 2 &amp;" in text
    assert "1 < 2" not in text
    assert text.count("<svg") == 3


def test_a_histogram_keeps_equal_and_far_off_apart():
    svg = pictures.histogram("a", {"equal": 5, "0": 3}, 1e-3)
    assert "5 elements: equal" in svg
    assert "3 elements: relative error from 1e0" in svg


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SAMPLES = 1 +", "cannot be run: SyntaxError"),
        ("x = 1", "defines neither SAMPLES nor REFERENCES"),
        ("import nowhere_at_all", "cannot be run: ModuleNotFoundError"),
    ],
)
def test_a_file_of_samples_that_is_none(tmp_path, text, told):
    from opweld.errors import UsageError

    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(UsageError, match=told):
        file.load(path, 0)


def test_the_seed_decides_of_tensors_made_while_the_file_runs(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import torch\nX = torch.randn(8)\nSAMPLES = {'ns::op': lambda dtype: [((X,), {})]}")

    def sample(seed):
        return file.load(path, seed).of("ns::op", 0)[0].positional[0]

    assert torch.equal(sample(1), sample(1))
    assert not torch.equal(sample(1), sample(2))


def test_samples_that_are_no_pairs(tmp_path):
    from opweld.errors import UsageError

    path = tmp_path / "mine.py"
    path.write_text("SAMPLES = {'ns::op': lambda dtype: [3]}")
    with pytest.raises(UsageError, match=r"SAMPLES\['ns::op'\] .* must return \(arguments, keywords\) pairs"):
        file.load(path, 0).of("ns::op", 0)


def test_samples_become_positive_where_only_then_the_reference_is_finite():
    from opweld.verify.sources.finite import is_positive, settled

    sample = Arguments((torch.tensor([-1.0, 2.0]), torch.tensor([1, 0])), {})
    (root,) = settled([sample], lambda x, index: x**0.5, 3)
    assert is_positive(root.positional[0])
    assert torch.equal(root.positional[1], sample.positional[1])  # integers may be indices
    assert is_positive(steps.apply(root, ("grow", 2, 50, 1)).positional[0])
    assert settled([sample], lambda x, index: x * 2, 3) == [sample]
    assert settled([sample], lambda x, index: x / 0, 3) == [sample]  # nothing helps
    assert settled([sample], lambda x, index: nowhere(x), 3) == [sample]  # noqa: F821


def test_only_nan_is_no_proof():
    outcomes = [
        Outcome("ns::op", "result", "cpu", "float32", f"small {n}", "skipped", "only NaN", "nan")
        for n in (1, 2)
    ]
    outcomes.append(Outcome("ns::op", "result", "cpu", "float32", "small 3", "passed"))
    made = Report("it", 0, "software NPU", {}, [OperatorInfo("ns::op", "op() -> ()")], outcomes)
    (row,) = rows(made)
    assert (row.passed, row.skipped) == (1, 2)
    assert row.note == "2 samples had only NaN, which proves nothing"
    assert "2 samples had only NaN" in markdown.markdown(made)


def test_a_reason_is_the_sentence_of_the_device():
    from opweld.verify.verdict import reason

    told = "aclrtSynchronizeDeviceWithTimeout: aclnnScale: the factor is 0"
    assert reason(RuntimeError(told)) == "RuntimeError: aclnnScale: the factor is 0"


def test_figures_are_whole_and_notes_wrapped_in_a_narrow_terminal():
    import io

    from rich.console import Console

    from opweld.verify.report import terminal

    note = "the spec's shape gives [4, 2, 4, 4], the reference gives [4, 2, 4], and so on to the last word"
    outcome = Outcome("ns::op", "deterministic-mode", "cpu", "float32", "small 1", "passed", caution=note)
    outcome.error = 0.00033
    console = Console(width=80, file=io.StringIO())
    info = [
        OperatorInfo(name, "op() -> ()") for name in ("ns::op", "ns::a_name_that_is_long_in_itself_and_more")
    ]
    others = [Outcome(info[1].name, "result", "cpu", "float32", "small 1", "passed")]
    terminal.show(Report("it", 0, "software NPU", {}, info, [outcome, *others]), console)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert {"passed", "failed", "skipped", "worst", "time", "note"} <= set(lines[1].split())
    assert "0.00033" in lines[2]
    assert " ".join(line[60:].strip() for line in lines[2:]).find("last") > 0
    assert "…" not in console.file.getvalue()


def test_outputs_are_found_by_their_lines():
    from opweld.verify.rules import _output_lines

    spec = """\
ops:
  - op: my::first
    input_desc:
      - {name: y, type: [float32]}
    output_desc:
      - {name: y, type: x.dtype, shape: x.shape}
      - {name: z, type: x.dtype, shape: x.shape}
    reference: y
  - op: my::second
    output_desc:
    - name: y
      type: x.dtype
    - type: x.dtype
      name: z
    doc: "name: y"
""".splitlines()
    outputs = [{"name": "y"}, {"name": "z"}]
    assert _output_lines(spec, {"line": 2, "outputs": outputs}, [2, 9]) == {"y": 6, "z": 7}
    assert _output_lines(spec, {"line": 9, "outputs": outputs}, [2, 9]) == {"y": 11, "z": 14}


def test_a_line_that_only_announces_is_told_with_the_next():
    from opweld.device import reason

    told = reason(RuntimeError("backend='aot_eager' raised:\nTypeError: no such overload\n\nmore"))
    assert told == "TypeError: no such overload"
    assert reason(RuntimeError("one\ntwo")) == "RuntimeError: one"


def test_a_long_reason_ends_with_a_word():
    from opweld.device import LONGEST, shortened

    text = shortened("word " * 200)
    assert len(text) <= LONGEST + 4
    assert text.endswith("word ...")


@pytest.mark.parametrize("what", ["shape", "type"])
def test_what_is_not_run_after_a_wrong_form_says_what_is_wrong(what):
    state = run._State({"meta": {"needs": [], "needs_case": []}})
    task = Task("ns::op", "meta", "npu", Case(0, "float32", "small", "contiguous"))
    assert state.obstacle(task) == ""
    told = f"the spec's {what} (line 9) gives one thing, the reference another"
    state.add(
        task, Outcome("ns::op", "outputs", "npu", "float32", "small 1", "failed", detail=told, kind="form")
    )
    assert state.obstacle(task) == f"not run: {told}"


def test_samples_that_tell_sizes_apart_come_first():
    from types import SimpleNamespace

    from opweld.verify.cases import _varied

    shapes = [(3, 3, 3), (4, 3), (2, 2), (4, 3, 2), (5,)]
    made = [Arguments((torch.ones(shape),), {"scale": float(i)}) for i, shape in enumerate(shapes)]
    chosen = _varied(SimpleNamespace(samples=made, rules=None), list(range(len(shapes))))
    assert [shapes[index] for index in chosen] == [(4, 3, 2), (4, 3), (3, 3, 3), (2, 2)]
