"""The command `opweld doctor`: targets, formats, exit codes, wrong use."""

import json
import os
import re
import zipfile

import pytest

import gallery


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.py"], "there is no file or folder nowhere.py"),
        (["nowhere/ops"], "there is no file or folder nowhere/ops"),
        (["a b"], "is no file, folder, package, namespace or operator"),
        (["notes.txt"], "notes.txt is no source"),
        (["broken.whl"], "broken.whl is no wheel"),
        (["broken.so"], "broken.so is no ELF library"),
        (["--format", "xml", "."], "'xml' is not one of 'text', 'json', 'sarif'"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(opweld, tmp_path, arguments, told):
    for name in ("notes.txt", "broken.whl", "broken.so"):
        (tmp_path / name).write_text("nothing")
    result = opweld("doctor", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("opweld: error: ")
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_module_that_cannot_be_imported(opweld, tmp_path):
    result = opweld("doctor", "mine::scale", "--import", "no_such_module", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.strip().splitlines() == [
        "opweld: error: no_such_module cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_module'"
    ]


def test_a_namespace_without_operators(opweld, tmp_path):
    result = opweld("doctor", "no_such_namespace", cwd=tmp_path)
    assert result.returncode == 2
    assert "no operator is in a namespace 'no_such_namespace'" in result.stderr


def test_without_a_device(opweld, tmp_path):
    result = opweld("doctor", "mine::scale", env={"OPWELD_CANN": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert result.returncode == 3
    assert "OPWELD_CANN" in result.stderr


def test_json(opweld):
    with gallery.copied("OW704-key-called-npu") as folder:
        result = opweld("doctor", "--format", "json", ".", cwd=folder)
    assert result.returncode == 1
    found = json.loads(result.stdout)
    (item,) = found["findings"]
    assert (item["rule"], item["name"], item["severity"]) == ("OW704", "key-called-npu", "error")
    assert (item["file"], item["line"], item["column"]) == ("ops.cpp", 15, 28)
    assert item["fixable"]
    assert item["cause"]
    assert found["summary"] == {"error": 1, "warning": 0, "note": 0}


def test_sarif(opweld):
    with gallery.copied("OW701-namespace-claimed-twice") as folder:
        result = opweld("doctor", "--format", "sarif", ".", cwd=folder)
    assert result.returncode == 1
    (run,) = json.loads(result.stdout)["runs"]
    (item,) = run["results"]
    assert run["tool"]["driver"]["rules"][item["ruleIndex"]]["id"] == item["ruleId"] == "OW701"
    place = item["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "shift.cpp"
    assert place["region"] == {"startLine": 5, "startColumn": 15}
    assert item["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "scale.cpp"


def test_notes_alone_leave_exit_code_0(opweld):
    with gallery.copied("OW829-autograd-unstated") as folder:
        result = opweld("doctor", ".", cwd=folder)
    assert result.returncode == 0
    assert "note[OW829]" in result.stdout


def test_the_environment_of_this_machine(opweld, tmp_path):
    result = opweld("doctor", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "no findings in the environment\n")


def test_an_empty_folder_is_nothing_to_examine(opweld, tmp_path):
    result = opweld("doctor", tmp_path)
    assert result.returncode == 2
    assert f"nothing to examine in {tmp_path}" in result.stderr


SPEC = """version: 1
package: mine
ops:
  - op: mine::scale
    input_desc: [{name: x, param_type: required, type: [float32]}]
    output_desc: [{name: y, type: x.dtype, shape: x.shape}]
    reference: "x * 2"
    backward: none
    kernel: [{language: compose, formula: "at::mul(x, x)"}]
"""


def test_a_project_that_is_not_built(opweld, tmp_path):
    (tmp_path / "spec.yaml").write_text(SPEC)
    result = opweld("doctor", ".", cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines() == [
        "note: not built: only sources examined (opweld build . builds it)",
        "no findings in 1 source",
    ]
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "cmake-software.log").write_text("error: expected ';'\n")
    result = opweld("doctor", ".", cwd=tmp_path)
    assert "note: not built, the last build failed (build/cmake-software.log)" in result.stdout


OPERATOR = """
import os
import torch
assert os.environ.get("ASCEND_CUSTOM_OPP_PATH", "") == "", "vendor packages of others are on the path"

@torch.library.custom_op("mine::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2

@twice.register_fake
def _(x):
    return torch.empty_like(x)

@torch.library.custom_op("mine::refuses", mutates_args=())
def refuses(x: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("there is no Tuesday")

@refuses.register_fake
def _(x):
    return torch.empty_like(x)
"""


def test_a_folder_is_examined_by_its_own_wheel_alone(opweld, tmp_path):
    """Neither installed operator packages nor what is on the path of others belong to it."""
    (tmp_path / "spec.yaml").write_text(SPEC)
    (tmp_path / "dist").mkdir()
    with zipfile.ZipFile(tmp_path / "dist" / "mine-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("mine-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
        archive.writestr("mine/__init__.py", OPERATOR)
    result = opweld(
        "doctor",
        "--format",
        "json",
        ".",
        cwd=tmp_path,
        env={**os.environ, "ASCEND_CUSTOM_OPP_PATH": "/elsewhere"},
    )
    found = json.loads(result.stdout)
    assert found["examined"]["operators"] == ["mine::refuses", "mine::twice"]
    failed = [item for item in found["findings"] if item["rule"] == "OW911"]
    assert [item["cause"] for item in failed] == ["The kernel itself says: there is no Tuesday"]
    assert result.returncode == 1


def test_the_guide_shows_what_the_gallery_says(root):
    """Every answer in the stories is a line of an expected.txt."""
    said = {
        line
        for name in gallery.packages()
        for line in (gallery.FAULTS / name / "expected.txt").read_text().splitlines()
    }
    guide = (root / "docs" / "guide" / "doctor.md").read_text()
    shown = [
        line for line in guide.splitlines() if "[OW" in line and not line.startswith((" ", "|", "[", "Every"))
    ]
    answers = [line for line in shown if ": error[" in line or ": warning[" in line]
    assert len(answers) >= 9
    assert set(answers) <= said
    assert guide.count("\n## ") >= 10


def test_the_guide_has_all_commands_of_a_story(root):
    """A story is runnable as printed: with what is built before the doctor is asked."""
    guide = (root / "docs" / "guide" / "doctor.md").read_text()
    stories = re.findall(r"^\$ cd examples/faults/([\w-]+)(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(stories) >= 10
    for name, text in stories:
        told = re.findall(r"(?:^\$|&&) ([^\n]*)", text, re.MULTILINE)
        assert [line for line in gallery.commands(name) if line not in told] == [], name
