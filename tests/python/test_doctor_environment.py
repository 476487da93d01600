"""The environment's rules, on machines made up here."""

from pathlib import Path

import pytest

from opweld.doctor.checks.environment import NEEDED, Machine, check
from opweld.vendor import LIBRARY


def machine(environ=None, versions=None, modules=None, device=True, driver=True) -> Machine:
    versions = {"torch": "2.13.0+cpu", "torch-npu": "2.13.0"} if versions is None else versions
    modules = set(NEEDED) if modules is None else modules
    return Machine(environ or {}, versions.get, modules.__contains__, lambda: device, lambda: driver)


def cann(root: Path, *, software: bool = False) -> Path:
    for part in ("lib64", "runtime", "compiler", "opp"):
        (root / part).mkdir(parents=True)
    (root / "lib64" / "libascendcl.so").touch()
    if software:
        (root / "opweld.json").write_text("{}")
    return root


def rules(wanted: Machine) -> list[str]:
    return [item.rule_id for item in check(wanted)]


def test_a_right_machine():
    assert rules(machine()) == []


@pytest.mark.parametrize(
    ("versions", "rule"),
    [
        ({"torch": "2.12.0", "torch-npu": "2.13.0"}, "OW951"),
        ({"torch": "2.13.0", "torch-npu": "2.13.0.post2"}, None),
        ({"torch": "2.13.0+cpu", "torch-npu": "2.13.0rc1"}, None),
        ({"torch": "2.13.0"}, "OW956"),
        ({"torch-npu": "2.13.0"}, "OW956"),
    ],
)
def test_versions(versions, rule):
    assert rules(machine(versions=versions)) == ([rule] if rule else [])


def test_the_fix_names_the_versions():
    (found,) = check(machine(versions={"torch": "2.12.0", "torch-npu": "2.13.0"}))
    assert found.fix == "pip install torch==2.13.0 torch-npu==2.13.0"


@pytest.mark.parametrize(
    ("module", "distribution"), [("google.protobuf", "protobuf"), ("packaging", "packaging")]
)
def test_missing_modules(module, distribution):
    (found,) = check(machine(modules=set(NEEDED) - {module}))
    assert (found.rule_id, found.fix) == ("OW954", f"pip install {distribution}")


def test_a_right_cann(tmp_path):
    root = cann(tmp_path / "cann")
    environ = {
        "ASCEND_HOME_PATH": str(root),
        "ASCEND_OPP_PATH": str(root / "opp"),
        "LD_LIBRARY_PATH": f"/usr/lib:{root / 'lib64'}",
    }
    assert rules(machine(environ)) == []
    assert rules(machine(environ, device=False)) == ["OW955"]
    assert rules(machine(environ, driver=False)) == ["OW955"]


def test_a_software_npu_needs_no_driver(tmp_path):
    root = cann(tmp_path / "cann", software=True)
    environ = {"ASCEND_HOME_PATH": str(root), "LD_LIBRARY_PATH": str(root / "lib64")}
    assert rules(machine(environ, device=False, driver=False)) == []


def test_two_canns(tmp_path):
    one, two = cann(tmp_path / "one"), cann(tmp_path / "two")
    environ = {"ASCEND_HOME_PATH": str(one), "LD_LIBRARY_PATH": f"{two / 'lib64'}:{one / 'lib64'}"}
    assert rules(machine(environ)) == ["OW952"]
    environ = {
        "ASCEND_HOME_PATH": str(one),
        "LD_LIBRARY_PATH": str(one / "lib64"),
        "ASCEND_OPP_PATH": str(two / "opp"),
    }
    assert rules(machine(environ)) == ["OW952"]


def test_a_home_that_is_none(tmp_path):
    assert rules(machine({"ASCEND_HOME_PATH": str(tmp_path)})) == ["OW957"]
    assert rules(machine({"ASCEND_HOME_PATH": str(tmp_path / "nowhere")})) == ["OW957"]


def test_the_folder_above_the_vendors_is_told(tmp_path):
    library = tmp_path / "vendors" / "mine" / LIBRARY
    library.parent.mkdir(parents=True)
    library.touch()
    assert rules(machine({"ASCEND_CUSTOM_OPP_PATH": str(tmp_path / "vendors" / "mine")})) == []
    (found,) = check(machine({"ASCEND_CUSTOM_OPP_PATH": str(tmp_path / "vendors")}))
    assert (found.rule_id, found.fix) == ("OW909", f"Write {tmp_path / 'vendors' / 'mine'}.")
