"""What a verification must not take for a proof: a broken reference, none, NaN, another build, a shape."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

WEAK = Path(__file__).parents[1] / "data" / "verify" / "weak_ops"


@pytest.fixture(scope="module")
def project(opweld, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weak") / "weak_ops"
    shutil.copytree(WEAK, folder)
    result = opweld("build", folder, timeout=1500)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture(scope="module")
def verified(opweld, project, tmp_path_factory):
    """The run, and the folder of its reports."""
    folder = tmp_path_factory.mktemp("reports")
    kinds = ("json", "sarif", "junit", "markdown", "html")
    reports = [f"--{kind}={folder / kind}" for kind in kinds]
    checks = [f"--check={name}" for name in ("result", "gradients", "schema")]
    result = opweld("verify", project, *checks, *reports, timeout=1500)
    assert result.returncode == 1, result.stdout + result.stderr
    return result, folder


@pytest.fixture(scope="module")
def outcomes(verified):
    """A function: the outcomes of an operator's check."""
    report = json.loads((verified[1] / "json").read_text())

    def of(operator, check=None):
        name = f"npu::npu_weak_{operator}"
        return [o for o in report["outcomes"] if o["operator"] == name and check in (None, o["check"])]

    return of


def line_of(text):
    """The line of the spec with the text."""
    lines = (WEAK / "spec.yaml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def results(verified, operator):
    """What SARIF says of an operator, with its line."""
    run = json.loads((verified[1] / "sarif").read_text())["runs"][0]
    return [
        (r["level"], r["message"]["text"], r["locations"][0]["physicalLocation"]["region"]["startLine"])
        for r in run["results"]
        if r["message"]["text"].startswith(f"npu::npu_weak_{operator}:")
    ]


def test_a_broken_reference_is_a_fault_at_its_line(verified, outcomes):
    line = line_of("torch.sqr(x)")
    found = outcomes("broken_reference", "result")
    assert {o["status"] for o in found} == {"failed"}
    assert f"the spec's reference (spec.yaml:{line}) cannot be computed: AttributeError" in found[0]["detail"]
    assert {(level, at) for level, _, at in results(verified, "broken_reference")} == {("error", line)}
    assert found[0]["reproduction"][-2:] == [
        "reference = lambda x: torch.sqr(x)",
        "print(reference(x.cpu()))",
    ]


def test_without_a_reference_nothing_is_proved_and_all_reports_say_so(verified, outcomes):
    told = "compared with its own CPU kernel only: the spec has no reference"
    found = outcomes("no_reference", "result")
    assert {o["status"] for o in found} == {"passed"}
    assert {o["caution"] for o in found if o["device"] == "npu"} == {told}
    assert {o["caution"] for o in found if o["device"] == "cpu"} == {
        "values were not compared: the spec has no reference"
    }
    assert told in " ".join(verified[0].stdout.split())
    line = line_of("npu_weak_no_reference")
    assert [(level, at) for level, _, at in results(verified, "no_reference")] == [("note", line)]
    suites = ElementTree.parse(verified[1] / "junit").getroot().findall("testsuite")
    suite = next(suite for suite in suites if suite.get("name") == "npu::npu_weak_no_reference")
    assert f"note: {told}" in [element.text for element in suite.iter("system-out")]
    assert f"result: {told}" in (verified[1] / "markdown").read_text()
    assert "class='tag weak'" in (verified[1] / "html").read_text()


def test_a_backward_operator_is_proved_by_the_gradients_of_its_forward(outcomes):
    assert {o["caution"] for o in outcomes("root_backward", "result")} == {""}
    assert "proved by the gradients of npu::npu_weak_root" in {
        o["detail"] for o in outcomes("root_backward", "result")
    }
    assert all(o["caution"] for o in outcomes("gradient_backward", "result"))  # those gradients are wrong


def test_samples_have_finite_results(outcomes):
    found = outcomes("root")
    assert {o["status"] for o in found} == {"passed"}, found
    assert {o["check"] for o in found} == {"result", "gradients", "schema"}


def test_a_wrong_shape_is_named_before_the_kernel_runs(outcomes):
    found = [o for o in outcomes("shape") if o["status"] == "failed"]
    assert {(o["check"], o["kind"]) for o in found} == {("meta", "form")}
    assert found[0]["detail"].startswith("the spec's shape (line ")
    assert ", the reference gives [" in found[0]["detail"]
    assert not [o for o in outcomes("shape") if o["status"] == "passed"]


def test_the_wrong_gradient_is_named_and_shown(outcomes, project):
    (fault,) = [o for o in outcomes("gradient", "gradients") if o["device"] == "cpu" and o["reproduction"]][
        :1
    ]
    assert fault["detail"].startswith("the gradient of 'b' differs from that of the spec's reference")
    lines = fault["reproduction"]
    assert lines[0].startswith("import sys; sys.path.insert(0, ")
    assert str(project) in lines[0]
    where = "import weak_ops; print(weak_ops.__file__)"
    shown = subprocess.run(
        ["opweld", "run", sys.executable, "-c", "\n".join([*lines, where])],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    assert shown.returncode == 0, shown.stderr
    got, expected, file = shown.stdout.strip().splitlines()[-3:]
    assert got.startswith("(tensor(")
    assert expected.startswith("(tensor(")
    assert got != expected
    assert Path(file).is_relative_to(project)


def test_poison_is_part_of_what_is_to_paste(outcomes):
    (fault,) = [
        o for o in outcomes("unwritten", "outputs") if o["device"] == "npu" and o["kind"] == "unwritten"
    ][:1]
    assert 'os.environ["OPWELD_POISON"] = "1"' in "\n".join(fault["reproduction"])


def test_the_generated_tests_of_a_right_operator_pass(project):
    file = project / "build" / "opweld" / "tests" / "test_npu_weak_root.py"
    (build,) = (project / "build" / "verify").glob("weak_ops-*")
    result = subprocess.run(
        [sys.executable, "-m", "opweld", "run", sys.executable, "-m", "pytest", "-q", str(file)],
        capture_output=True,
        text=True,
        timeout=900,
        cwd=file.parent,
        env=os.environ | {"PYTHONPATH": str(build)},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout


def test_a_project_that_was_not_built_is_not_an_installed_package_of_its_name(opweld, tmp_path):
    shutil.copytree(WEAK, tmp_path / "weak_ops")
    (tmp_path / "site" / "weak_ops").mkdir(parents=True)
    (tmp_path / "site" / "weak_ops" / "__init__.py").write_text("")
    result = opweld("verify", tmp_path / "weak_ops", env=os.environ | {"PYTHONPATH": str(tmp_path / "site")})
    assert result.returncode == 2, result.stdout + result.stderr
    assert f"has not been built; run 'opweld build {tmp_path / 'weak_ops'}' first" in result.stderr
