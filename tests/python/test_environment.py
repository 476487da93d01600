"""`opweld run`, `opweld env` and the choice of the device, without torch."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from opweld import environment, home, vendor
from opweld.errors import OpweldError, UsageError

SHELLS = [shell for shell in ("/bin/sh", "/bin/bash", "/bin/zsh", "/bin/dash") if Path(shell).exists()]


def test_run_says_its_device_once_and_passes_arguments_and_status(opweld):
    result = opweld("run", "--software", "-n", "3", "--", "sh", "-c", 'echo "$1"; exit 7', "sh", "a  b")
    assert result.returncode == 7
    assert result.stdout == "a  b\n"
    assert result.stderr == "opweld: software NPU, 3 x Ascend910B1\n"


def test_run_needs_no_double_dash_and_keeps_the_commands_options(opweld):
    result = opweld("run", "-q", "echo", "-n", "4", "--help")
    assert (result.stdout, result.stderr) == ("4 --help", "")


def test_run_sets_the_environment(opweld):
    result = opweld("run", "-q", "--soc", "Ascend950PR", "-n", "2", "--", "env")
    found = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
    cann = Path(found["ASCEND_HOME_PATH"])
    assert (cann / "lib64" / "libascendcl.so").is_file()
    assert found["ASCEND_OPP_PATH"] == str(cann / "opp")
    assert found["LD_LIBRARY_PATH"].split(":")[0] == str(cann / "lib64")
    assert str(cann / "bin") in found["PATH"].split(":")
    assert (found["OPWELD_DEVICES"], found["OPWELD_SOC"]) == ("2", "Ascend950PR")


def test_python_under_run_is_the_environments_own(opweld):
    result = opweld(
        "run", "-q", "--", "python", "-c", "import opweld, sys; print(sys.prefix)", env={"PATH": "/bin"}
    )
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()).samefile(os.sys.prefix)


def test_nested_run_adds_nothing_twice(opweld):
    once = opweld("run", "-q", "--", "env").stdout
    twice = opweld("run", "-q", "--", "opweld", "run", "-q", "--", "env").stdout
    for name in ("LD_LIBRARY_PATH=", "PATH=", "ASCEND_HOME_PATH="):
        pick = [line for line in once.splitlines() if line.startswith(name)]
        assert pick
        assert pick == [line for line in twice.splitlines() if line.startswith(name)]


@pytest.mark.parametrize("shell", SHELLS)
def test_env_can_be_evaluated_and_undone(opweld, shell):
    lines = opweld("env").stdout
    script = f"""
export LD_LIBRARY_PATH=/some/where
{lines}
test -e "$ASCEND_HOME_PATH/lib64/libascendcl.so" || exit 1
"$1" env --unset > "$2" || exit 2
. "$2"
test -z "${{ASCEND_HOME_PATH+set}}" || exit 3
case ":$LD_LIBRARY_PATH:" in *cann/lib64*) exit 4;; esac
"""
    undo = Path(os.environ.get("TMPDIR", "/tmp")) / f"opweld-undo-{os.getpid()}"
    command = [shell, "-c", script, shell, Path(os.sys.executable).parent / "opweld", undo]
    try:
        assert subprocess.run(command).returncode == 0
    finally:
        undo.unlink(missing_ok=True)


def test_teams_of_threads_look_before_they_sleep():
    device = environment.choose_device("software", environ={})
    first = environment.variables(device, {})
    assert first["OMP_WAIT_POLICY"] == "active"
    assert environment.variables(device, first)["GOMP_SPINCOUNT"] == first["GOMP_SPINCOUNT"]
    assert environment.without(device.home, first)["OMP_WAIT_POLICY"] is None


def test_what_the_user_says_of_waiting_threads_holds():
    environ = {"OMP_WAIT_POLICY": "passive"}
    device = environment.choose_device("software", environ={})
    assert not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(environment.variables(device, environ))
    assert "OMP_WAIT_POLICY" not in environment.without(device.home, environ)


def test_env_quotes(monkeypatch):
    from opweld.commands.environment import shell_lines

    monkeypatch.setenv("LD_LIBRARY_PATH", "/with space/it's")
    line = next(
        line for line in shell_lines(None, None, software=True, unset=False).splitlines() if "LD_LIB" in line
    )
    assert subprocess.run(
        ["sh", "-c", f'{line}; printf %s "$LD_LIBRARY_PATH"'], capture_output=True, text=True
    ).stdout.endswith(":/with space/it's")


@pytest.fixture
def real_cann(tmp_path, monkeypatch):
    """A CANN that is not opweld's, with a device."""
    (tmp_path / "lib64").mkdir()
    (tmp_path / "lib64" / "libascendcl.so").touch()
    monkeypatch.setattr(home, "has_device_node", lambda: True)
    return tmp_path


def test_a_real_npu_comes_first(real_cann):
    environ = {"ASCEND_HOME_PATH": str(real_cann)}
    device = environment.choose_device(environ=environ)
    assert (device.software, device.home) == (False, real_cann)
    assert "LD_LIBRARY_PATH" not in environment.variables(device, environ)


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        ({"target": "software"}, {}),
        ({"devices": 2}, {}),
        ({"soc": "Ascend950PR"}, {}),
        ({}, {"OPWELD_TARGET": "software"}),
    ],
)
def test_the_software_npu_can_be_asked_for(real_cann, options, variables):
    assert environment.choose_device(
        **options, environ={"ASCEND_HOME_PATH": str(real_cann), **variables}
    ).software


def test_a_real_cann_without_a_device_is_not_used(real_cann, monkeypatch):
    monkeypatch.setattr(home, "has_device_node", lambda: False)
    assert environment.choose_device(environ={"ASCEND_HOME_PATH": str(real_cann)}).software


def test_asking_for_a_real_npu_where_there_is_none():
    with pytest.raises(OpweldError, match="no real NPU here"):
        environment.choose_device("npu", environ={})


def test_an_unknown_target_is_wrong_use():
    with pytest.raises(UsageError, match="target 'gpu' does not exist"):
        environment.choose_device(environ={"OPWELD_TARGET": "gpu"})


def test_own_vendor_folders_come_before_those_of_the_user(tmp_path):
    ours = vendor.VendorPackage("a", "a", "1", tmp_path)
    lost = vendor.VendorPackage("b", "b", "1", None, "gone")
    assert vendor.custom_opp_path("/x:/y", [ours, lost]) == f"{tmp_path}:/x:/y"
    assert vendor.custom_opp_path(f"/x:{tmp_path}", [ours]) == f"{tmp_path}:/x"


def test_vendor_folder_of_an_entry_point(tmp_path, monkeypatch):
    (tmp_path / "some_ops" / "vendors" / "some_ops").mkdir(parents=True)
    info = tmp_path / "some_ops-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-ops\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[opweld.vendor]\nsome_ops = some_ops\ngone = gone_ops\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = {package.name: package for package in vendor.installed()}
    assert found["some_ops"].folder == tmp_path / "some_ops" / "vendors" / "some_ops"
    assert found["some_ops"].version == "1.0"
    assert found["gone"].folder is None
    assert "gone_ops" in found["gone"].problem


def test_the_socs_are_those_of_the_software_npu(root):
    table = (root / "npu" / "soc" / "soc.cpp").read_text(encoding="utf-8")
    assert tuple(re.findall(r'\.name = "(\w+)"', table)) == environment.SOCS
