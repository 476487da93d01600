"""opweld doctor --fix: what is mechanical is mended, and nothing is lost."""

import os
from pathlib import Path

import pytest

import gallery
from opweld.doctor import fix
from opweld.doctor.examine import examine_sources
from opweld.doctor.functions import Functions
from opweld.doctor.rules import find_rule
from opweld.errors import OpweldError

NO_CANN = Functions(False, "libopapi.so")
FIXABLE = [
    name
    for name in gallery.packages()
    if "(--fix does it)" in (gallery.FAULTS / name / "expected.txt").read_text()
]


@pytest.mark.parametrize("name", FIXABLE)
def test_what_is_mechanical_is_mended(name):
    with gallery.copied(name) as folder:
        before = examine_sources(folder, functions=NO_CANN)
        changes = fix.plan(before)
        assert changes
        for change in changes:
            fix.write(change)
        left = examine_sources(folder, functions=NO_CANN)
        assert not any(item.edits for item in left)
        assert len(left) < len(before)


def test_rules_say_whether_they_can_be_mended():
    mended = {name.partition("-")[0] for name in FIXABLE if name.startswith("OW")}
    assert mended >= {"OW701", "OW704", "OW805", "OW807"}
    for rule_id in ("OW701", "OW704", "OW805", "OW807", "OW717"):
        assert find_rule(rule_id).mechanical


def test_the_command_shows_a_diff_and_what_is_left(opweld):
    with gallery.copied("OW704-key-called-npu") as folder:
        mode = 0o640
        os.chmod(folder / "ops.cpp", mode)
        result = opweld("doctor", ".", "--fix", cwd=folder)
        assert (result.returncode, result.stdout) == (0, "no findings in 1 source\n")
        assert "-TORCH_LIBRARY_IMPL(my_ops, NPU, m)" in result.stderr
        assert "+TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m)" in result.stderr
        assert os.stat(folder / "ops.cpp").st_mode & 0o7777 == mode
        assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_a_file_that_has_changed_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "ops.cpp"
    path.write_text("later")
    with pytest.raises(OpweldError, match="has changed while it was examined"):
        fix.write(fix.Change(str(path), b"earlier", b"mended"))
    assert path.read_text() == "later"


def test_a_link_stays_one(tmp_path):
    (tmp_path / "real.cpp").write_text("a")
    link = tmp_path / "link.cpp"
    link.symlink_to("real.cpp")
    fix.write(fix.Change(str(link), b"a", b"b"))
    assert link.is_symlink()
    assert (tmp_path / "real.cpp").read_text() == "b"


def test_edits_that_overlap_are_made_once():
    from opweld.doctor.findings import Edit

    edits = {Edit("a", 0, 3, "x"), Edit("a", 1, 4, "y"), Edit("a", 4, 4, "!")}
    assert fix.apply(b"abcde", edits) == b"xd!e"


def test_bytes_that_are_no_text_survive(tmp_path):
    path = Path(tmp_path / "ops.cpp")
    path.write_bytes(b'// caf\xe9\r\nTORCH_LIBRARY_IMPL(ops, NPU, m) { m.impl("f", f); }\r\n')
    for change in fix.plan(examine_sources(path, functions=NO_CANN)):
        fix.write(change)
    assert (
        path.read_bytes() == b'// caf\xe9\r\nTORCH_LIBRARY_IMPL(ops, PrivateUse1, m) { m.impl("f", f); }\r\n'
    )
