"""`opweld verify`: wrong operators are found by the right check and no other; reports, crashes, wrong use."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).parent
EAGER = ("outputs", "determinism", "result", "meta", "schema", "autocast", "vmap", "deterministic-mode")
CRASHES = "opweld_wrong::crash_for_empty"


def failed(report):
    """The checks that found something, by operator."""
    found = {info["name"]: set() for info in report["operators"]}
    for outcome in report["outcomes"]:
        if outcome["status"] == "failed":
            found[outcome["operator"]].add(outcome["check"])
    return found


def expected():
    """FOUND_BY of verify_wrong_operators.py, read without importing it: importing registers the operators."""
    text = (HERE / "verify_wrong_operators.py").read_text()
    return {
        f"opweld_wrong::{name}": {check} if check else set()
        for name, check in re.findall(r'^@operator\(\s*"(\w+)",\s*"([\w-]*)"', text, re.MULTILINE)
    }


@pytest.fixture(scope="module")
def wrong(opweld, tmp_path_factory):
    """All wrong operators on the CPU device, but those that end the process."""
    folder = tmp_path_factory.mktemp("wrong")
    names = [name for name in expected() if name != CRASHES]
    reports = [f"--{kind}={folder / f'report.{kind}'}" for kind in ("json", "html", "junit", "sarif")]
    checks = [f"--check={check}" for check in (*EAGER, "symbolic", "gradients")]
    result = opweld(
        "verify",
        "verify_wrong_operators",
        *names,
        "--samples",
        HERE / "verify_samples.py",
        "--device=cpu",
        *checks,
        *reports,
        cwd=HERE,
        timeout=1500,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    return result, folder


@pytest.fixture(scope="module")
def report(wrong):
    return json.loads((wrong[1] / "report.json").read_text())


def test_there_are_twenty_wrong_operators():
    assert len(expected()) > 20
    assert expected()["opweld_wrong::right"] == set()


@pytest.mark.parametrize("name", [name for name in expected() if name != CRASHES])
def test_each_is_found_by_the_right_check_alone(report, name):
    told = [o["detail"] for o in report["outcomes"] if o["operator"] == name and o["status"] == "failed"]
    assert failed(report)[name] == expected()[name], told


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrong_for_float16", ["differs from the reference", "times the allowed difference"]),
        ("meta_strides", ["strides", "but Meta says"]),
        ("meta_missing", ["there is no Meta kernel"]),
        ("meta_reads_values", ["Meta uses values of its inputs"]),
        ("meta_specialises", ["Meta fixes a dynamic size"]),
        ("gradient_missing", ["there is no autograd kernel"]),
        ("not_all_written", ["1 of", "elements are not written"]),
        ("refuses_scalar", ["the call fails", "x must have a dimension"]),
    ],
)
def test_the_fault_is_explained(report, name, words):
    told = [o["detail"] for o in report["outcomes"] if name in o["operator"] and o["status"] == "failed"]
    assert [word for word in words if word not in told[0]] == []


def test_what_fails_is_shrunk_to_a_few_lines_of_python(report):
    faults = [o for o in report["outcomes"] if o["status"] == "failed"]
    first = {}
    for fault in faults:
        first.setdefault(fault["operator"].partition("::")[2], fault)
    assert all(2 < len(fault["reproduction"]) <= 4 for fault in first.values())
    tensors = {name: fault["reproduction"][2] for name, fault in first.items()}
    assert tensors["wrong_for_float16"] == 'x = torch.tensor(1.0, dtype=torch.float16, device="cpu")'
    assert tensors["wrong_scalar"] == 'x = torch.tensor(1.0, dtype=torch.float32, device="cpu")'
    assert len(re.findall(r"\d", tensors["wrong_for_strides"])) < 12
    assert first["wrong_for_large"]["reproduction"][-1] == (
        "print(torch.ops.opweld_wrong.wrong_for_large.default(x))"
    )


def test_the_lines_can_be_pasted(report, python):
    fault = next(o for o in report["outcomes"] if o["status"] == "failed" and "float16" in o["operator"])
    result = python("\n".join(fault["reproduction"]), cwd=HERE)
    assert "dtype=torch.float16" in result.stdout, result.stderr


def test_the_table_and_the_last_line(wrong):
    output = wrong[0].stdout
    assert re.search(
        r"\d+ operators, \d+ passed, \d+ skipped, \d+ failed \(\d+ different faults\); seed 0", output
    )
    assert "likewise: " in output


def test_junit(wrong, report):
    root = ElementTree.parse(wrong[1] / "report.junit").getroot()
    assert len(root.findall("testsuite")) == len(report["operators"])
    assert len(root.findall(".//failure")) == sum(o["status"] == "failed" for o in report["outcomes"])
    assert len(root.findall(".//testcase")) == len(report["outcomes"])


def test_sarif(wrong):
    run = json.loads((wrong[1] / "report.sarif").read_text())["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {"verify/result", "verify/meta", "verify/gradients"} <= rules
    assert {result["ruleId"] for result in run["results"]} == rules


def test_the_page_in_a_browser(wrong, tmp_path):
    chromium = shutil.which("chromium")
    assert chromium, "Debian's package chromium is missing; OPWELD_TESTS=ON scripts/setup installs it"
    page = (wrong[1] / "report.html").resolve()
    assert "http" not in page.read_text().replace("http://www.w3.org", "")  # it needs nothing from anywhere
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    document = subprocess.run(
        [*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=300
    ).stdout
    assert "opweld verify: verify_wrong_operators" in document
    assert document.count("<svg") >= 20  # a histogram for each dtype, a matrix for each operator, the times
    assert "faults found" in document
    picture = tmp_path / "page.png"
    size = "--window-size=1200,4000"
    subprocess.run(
        [*command, size, f"--screenshot={picture}", page.as_uri()],
        capture_output=True,
        timeout=300,
        check=True,
    )
    assert picture.stat().st_size > 100_000
    assert _colours(picture) > 100


def _colours(picture):
    """How many different rows of pixels a PNG has, roughly: an empty page has few."""
    import zlib

    data = picture.read_bytes()
    parts, at = [], 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IDAT":
            parts.append(data[at + 8 : at + 8 + length])
        at += 12 + length
    pixels = zlib.decompress(b"".join(parts))
    width = int.from_bytes(data[16:20], "big")
    stride = len(pixels) // int.from_bytes(data[20:24], "big")
    assert width == 1200
    return len({pixels[row : row + stride] for row in range(0, len(pixels), stride)})


def verify(opweld, *arguments, **keywords):
    return opweld("verify", *arguments, cwd=HERE, timeout=900, **keywords)


def test_a_crash_is_the_fault_of_the_sample(opweld, tmp_path):
    path = tmp_path / "report.json"
    result = verify(
        opweld,
        "verify_wrong_operators",
        CRASHES,
        f"--samples={HERE / 'verify_samples.py'}",
        "--device=cpu",
        "--dtype=float32",
        "--check=result",
        f"--json={path}",
    )
    assert result.returncode == 1, result.stdout + result.stderr
    report = json.loads(path.read_text())
    (fault,) = [o for o in report["outcomes"] if o["status"] == "failed"]
    assert (fault["check"], fault["kind"], fault["label"]) == ("result", "crash", "empty")
    assert fault["detail"].startswith(
        "the process ended with SIGSEGV (the kernel probably reads or writes outside its tensors; "
    )
    assert sum(o["status"] == "passed" for o in report["outcomes"]) > 3  # the others ran all the same


def test_on_the_npu_with_a_seed(opweld, tmp_path):
    reports = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.json"
        result = verify(
            opweld,
            "verify_wrong_operators",
            "opweld_wrong::wrong_for_float16",
            "opweld_wrong::not_all_written",
            f"--samples={HERE / 'verify_samples.py'}",
            "--device=npu",
            "--seed=7",
            *(["--check=result", "--check=outputs", "--check=streams", "--check=infershape"]),
            f"--json={path}",
        )
        assert result.returncode == 1, result.stdout + result.stderr
        reports.append(json.loads(path.read_text()))
    assert failed(reports[0]) == {
        "opweld_wrong::wrong_for_float16": {"result"},
        "opweld_wrong::not_all_written": {"outputs"},
    }
    first, second = ([{**o, "seconds": 0} for o in report["outcomes"]] for report in reports)
    assert first == second
    notes = {(o["operator"], o["detail"]) for o in reports[0]["outcomes"] if o["check"] == "infershape"}
    without = "there is no converter: No AscendIR WrongForFloat16 was found to be registered"
    assert notes == {
        ("opweld_wrong::wrong_for_float16", without),
        ("opweld_wrong::not_all_written", "not run: outputs has faults"),
    }


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere.yaml"], 2, "nowhere.yaml does not exist"),
        (["tests"], 2, "is no folder, no spec, no operator"),
        ([str(HERE)], 2, "it is no operator project"),
        (["cpu_torch.py"], 2, "name a module without .py"),
        (["aten::mm", "--check", "results"], 2, "check 'results' does not exist"),
        (["aten::mm", "--dtype", "half"], 2, "dtype 'half' does not exist"),
        (["aten::mm", "--device", "gpu"], 2, "device 'gpu' does not exist"),
        (["aten::mm", "--jobs", "0"], 2, "--jobs is 0"),
        (["aten::mm", "--budget", "0"], 2, "--budget is 0 s"),
        (["aten::mm", "--samples", "nowhere.py"], 2, "nowhere.py does not exist"),
        (["aten::mm", "--json", "nowhere/report.json"], 2, "for the report does not exist"),
        (["aten::mm", "--html", str(HERE)], 2, "is a folder; name a file for the report"),
        (["../data/spec/good/all_types.yaml"], 2, "has not been built; run 'opweld build"),
        (["../data/spec/bad/none.yaml"], 2, "does not exist"),
    ],
)
def test_wrong_use_ends_in_a_sentence(opweld, arguments, code, words):
    result = verify(opweld, *arguments)
    assert result.returncode == code, result.stdout + result.stderr
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "requires", "code", "words"),
    [
        ("broken-1.0-py3-none-any.whl", None, 2, "is no wheel"),
        ("broken-1.0-py3-none-any.whl", "torch==2.9.0", 3, "is built for torch==2.9.0, and torch 2.13"),
        ("broken-1.0-cp39-cp39-linux_x86_64.whl", "torch", 3, "which this Python"),
    ],
)
def test_a_wheel_that_cannot_be_used_here(opweld, tmp_path, name, requires, code, words):
    (tmp_path / "spec.yaml").write_text(
        "version: 1\npackage: broken\nops:\n  - op: npu_x\n    input_desc: [{name: x, type: [float32]}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n    reference: x * 2\n"
        '    backward: none\n    kernel: [{language: compose, formula: "at::mul(x, x)"}]\n'
    )
    (tmp_path / "dist").mkdir()
    wheel = tmp_path / "dist" / name
    if requires is None:
        wheel.write_text("no archive")
    else:
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(
                "broken-1.0.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: broken\nVersion: 1.0\nRequires-Dist: {requires}\n",
            )
    result = verify(opweld, tmp_path)
    assert result.returncode == code, result.stdout + result.stderr
    assert words in result.stderr
    assert not list((tmp_path / "build" / "verify").iterdir())


def test_an_operator_that_does_not_exist(opweld):
    result = verify(opweld, "aten::reluu", "--check", "result")
    assert result.returncode == 2
    assert "did you mean aten::relu" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_budget_that_is_too_small_proves_nothing(opweld):
    result = verify(opweld, "aten::mm", "--check=result", "--budget=0.001")
    assert result.returncode == 3
    assert "nothing was examined: not run: the budget was used up" in result.stderr


def test_a_spec_with_faults_is_a_fault(opweld, tmp_path):
    spec = tmp_path / "spec.yaml"
    spec.write_text("version: 1\npackage: broken\nops:\n  - op: npu_x\n    input_dsc: []\n")
    result = verify(opweld, spec, f"--sarif={tmp_path / 'faults.sarif'}")
    assert result.returncode == 1
    results = json.loads((tmp_path / "faults.sarif").read_text())["runs"][0]["results"]
    assert results
    assert all(found["locations"][0]["physicalLocation"]["region"]["startLine"] for found in results)
    assert "has faults, so there is nothing to verify yet" in result.stderr


def test_the_names_of_the_checks():
    """The command line's list, which does without torch, is that of the checks."""
    from cpu_torch import torch  # noqa: F401
    from opweld.verify.checks import CHECKS
    from opweld.verify.names import CHECK_NAMES

    assert tuple(check.name for check in CHECKS) == CHECK_NAMES
    for check in CHECKS:
        earlier = CHECK_NAMES[: CHECK_NAMES.index(check.name)]
        assert set(check.needs + check.needs_case) <= set(earlier)


@pytest.mark.slow
def test_the_tutorial_is_right_in_every_check(opweld, root, tmp_path):
    if not list((root / "examples" / "custom_linear" / "dist").glob("*.whl")):
        assert opweld("build", root / "examples" / "custom_linear", timeout=900).returncode == 0
    path = tmp_path / "report.json"
    result = opweld("verify", root / "examples" / "custom_linear", f"--json={path}", timeout=1500)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(path.read_text())
    from opweld.verify.names import CHECK_NAMES

    for info in report["operators"]:
        passed = {
            (o["check"], o["device"])
            for o in report["outcomes"]
            if o["operator"] == info["name"] and o["status"] == "passed"
        }
        assert {check for check, _ in passed} == set(CHECK_NAMES)
        assert {device for _, device in passed} == {"npu", "cpu"}


@pytest.mark.slow
def test_operators_of_pytorch_itself(opweld, tmp_path):
    path = tmp_path / "report.json"
    names = ["aten::mm", "aten::cumsum", "aten::_softmax", "aten::mul_.Tensor", "aten::add.Tensor"]
    checks = ["--check=result", "--check=meta", "--check=gradients"]
    result = verify(opweld, *names, *checks, "--jobs=2", f"--json={path}")
    report = json.loads(path.read_text())
    # torch_npu's sum of transposed tensors is contiguous, PyTorch's Meta keeps their strides.
    found = {name for name, checks in failed(report).items() if checks}
    assert found == {"aten::add.Tensor"}, result.stdout + result.stderr
    assert failed(report)["aten::add.Tensor"] == {"meta"}
    for name in names:
        assert sum(o["operator"] == name and o["status"] == "passed" for o in report["outcomes"]) > 20
