"""The command line: help, wrong use, exit codes, what starting it imports."""

import json
import os
import subprocess
import sys

import pytest

COMMANDS = (
    "new", "import", "check", "gen", "build", "run", "env", "info", "abi", "graph", "verify", "doctor",
)  # fmt: skip


def test_help_lists_every_command(opweld):
    result = opweld("--help")
    assert result.returncode == 0
    for command in COMMANDS:
        assert f" {command} " in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(opweld, command):
    result = opweld(command, "--help")
    assert result.returncode == 0
    assert "Usage: opweld " + command in result.stdout


def test_version_is_that_of_the_package(opweld, root):
    version = next(
        line for line in (root / "pyproject.toml").read_text().splitlines() if line.startswith("version")
    )
    result = opweld("--version")
    assert result.stdout.strip() == f"opweld {version.split(chr(34))[1]}"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["rn"], "No such command 'rn'. Did you mean 'run'?"),
        (["run"], "Missing argument"),
        (["run", "-n", "0", "--", "true"], "number of devices is '0'; it must be between 1 and 64"),
        (["run", "-n", "many", "--", "true"], "Invalid value for '--devices'"),
        (["run", "--soc", "Kirin", "--", "true"], "no SoC 'Kirin'; it can be Ascend910B1 or Ascend950PR"),
        (["run", "--", "no-such-command"], "command 'no-such-command' cannot be found"),
        (["info", "--format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["check"], "no spec was named"),
        (["import", "nowhere.yaml"], "nowhere.yaml"),
        (["check", "nowhere.yaml"], "nowhere.yaml"),
        (["build", "nowhere"], "nowhere"),
        (["gen", "nowhere.yaml", "-o", "out"], "nowhere.yaml"),
        (["check", "/dev/null"], "/dev/null is a device or a pipe"),
        (["check", b"b\xffd.yaml"], "is not UTF-8"),
        (["new", "not a name"], "not a name"),
        (["new", b"b\xffd"], "is not UTF-8"),
        (["new", "torch"], "'torch' is the name of a package"),
        (["new", "std"], "'std' is the name of a package"),
        (["new", "json"], "'json' is a module of Python's own"),
        (["new", "npu"], "take another: 'npu_ops'"),
        (["abi", "nowhere.whl"], "nowhere.whl"),
        (["abi", "no_such_package"], "no package of this name is installed: no_such_package"),
        (["env", "--soc", "Kirin"], "no SoC 'Kirin'"),
        (["build", "--jobs", "0"], "--jobs is 0; it must be at least 1"),
        (["run"], "Missing argument '-- CMD...'"),
        (["graph"], "name a model or folder, or a program with --run"),
        (["graph", "nothing"], "nothing does not exist"),
        (["graph", "."], ". has no model: no file *.air is in it"),
        (["graph", "--run", "no-such-command"], "'no-such-command' cannot be run"),
        (["graph", "--run", "echo 'x"], "No closing quotation"),
        (["graph", "x.air", "--shape", "x"], "--shape x: write INPUT=SIZES"),
        (["verify"], "Missing argument 'TARGET'"),
        (["verify", "no_such"], "is no folder, no spec, no operator"),
        (["verify", "json"], "importing json registers no operator"),
        (["doctor", "no_such.yaml"], "there is no file or folder no_such.yaml"),
        (["doctor", "aten::add", "--soc", "No"], "there is no SoC 'No'"),
        (["build", "--jobs", "0", "."], "--jobs is 0; it must be at least 1"),
        (["doctor", "--soc", "Kirin", "."], "no SoC 'Kirin'"),
        (["doctor", "no_such_folder"], "no_such_folder"),
        (["graph", "nowhere.air"], "nowhere.air"),
        (["graph", "--run", "python 'x"], "No closing quotation"),
        (["verify", "--json", ".", "aten::add.Tensor"], "is a folder; name a file for the report"),
        (["verify", "--html", "no/such.html", "aten::add.Tensor"], "for the report does not exist"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(opweld, tmp_path, arguments, told):
    result = opweld(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("opweld: error: ")
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["new", "mine", "--in", "file.yaml"], "file.yaml is a file; name a folder for the project"),
        (["import", "."], ". is a folder; name a spec file in it"),
        (["import", "file.yaml", "-o", "."], ". is a folder; name a file for the spec"),
        (["import", "file.yaml", "-o", "nowhere/spec.yaml"], "nowhere for the spec does not exist"),
        (["gen", ".", "-o", "out"], ". is a folder; name a spec file in it"),
        (["gen", "file.yaml", "-o", "file.yaml"], "file.yaml is a file; name a folder"),
        (["build", "."], "there is no spec.yaml in ."),
        (["run", "--", "./file.yaml"], "cannot be found or is not executable"),
        (["abi", "file.yaml"], "file.yaml is no wheel"),
        (["abi", "."], "has no shared libraries"),
        (["graph", "file.yaml", "-o", "file.yaml"], "file.yaml is a file; name a folder for the pictures"),
        (["verify", "aten::mm", "--json", "."], ". is a folder; name a file for the report"),
        (["verify", "aten::mm", "--samples", "."], "the file of samples . does not exist"),
    ],
)
def test_a_file_in_place_of_a_folder_and_the_other_way_round(opweld, tmp_path, arguments, told):
    (tmp_path / "file.yaml").write_text("version: 1\n")
    result = opweld(*arguments, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert (tmp_path / "file.yaml").read_text() == "version: 1\n"


@pytest.mark.parametrize("command", [["check"], ["gen", "-o", "out"]])
def test_a_spec_in_another_encoding_is_a_fault_of_the_spec(opweld, tmp_path, command):
    (tmp_path / "spec.yaml").write_bytes(b"version: 1\npackage: caf\xe9\n")
    result = opweld(*command, "spec.yaml", cwd=tmp_path)
    assert result.returncode == 1
    assert "error[OW110]" in result.stdout + result.stderr


def test_a_terminal_without_unicode_still_shows_the_report(opweld, tmp_path):
    (tmp_path / "\u00fc.yaml").write_text("version: 2\n")
    result = opweld("check", "\u00fc.yaml", cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 1
    assert result.stdout.startswith("\\xfc.yaml:1:")


def test_environment_fault_is_exit_code_3(opweld, tmp_path):
    result = opweld("run", "--", "true", env={"OPWELD_CANN": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert result.returncode == 3
    assert "OPWELD_CANN" in result.stderr


def test_no_command_imports_torch_for_nothing(python):
    code = "import sys; sys.argv[0] = 'opweld'; import opweld.cli as c; c.run_command_line(['info']); "
    result = python(code + "print('torch' in sys.modules)")
    assert result.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("heavy", ["torch", "numpy", "yaml", "rich.table", "opweld._core"])
def test_starting_imports_nothing_heavy(python, heavy):
    code = "import sys; sys.argv[0] = 'opweld'; import opweld.cli as c; c.run_command_line(['--version']); "
    result = python(code + f"print({heavy!r} in sys.modules)")
    assert result.stdout.splitlines()[-1] == "False"


def test_info_as_json(opweld):
    found = json.loads(opweld("info", "--format", "json").stdout)
    assert found["versions"]["torch"].startswith("2.13.0")
    assert found["versions"]["torch-npu"] == "2.13.0"
    assert found["device"]["kind"] == "software"
    assert found["device"]["soc"] == "Ascend910B1"


def test_python_m_opweld_is_the_command(root):
    result = subprocess.run([sys.executable, "-m", "opweld", "--version"], capture_output=True, text=True)
    assert result.stdout.startswith("opweld ")


def test_a_keyword_is_no_name_of_a_project(opweld, tmp_path):
    result = opweld("new", "class", cwd=tmp_path)
    assert result.returncode == 2
    assert "'class' is a keyword of C++ and Python" in result.stderr
    assert "'class_ops'" in result.stderr


def test_check_takes_the_folder_of_a_project(opweld, tmp_path):
    (tmp_path / "spec.yaml").write_text("version: 7\n")
    result = opweld("check", ".", cwd=tmp_path)
    assert result.returncode == 1
    assert "spec.yaml:1:10: error[OW108]" in result.stdout
    (tmp_path / "empty").mkdir()
    result = opweld("check", "empty", cwd=tmp_path)
    assert result.returncode == 2
    assert "there is no spec.yaml in empty" in result.stderr


def test_check_explains_a_rule(opweld):
    result = opweld("check", "--explain", "OW107")
    assert result.returncode == 0
    assert "missing-key" in result.stdout
    assert opweld("check", "--explain", "OW000").returncode == 2
