"""Libraries and wheels by their symbols, and what ends the examining process."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from gallery import torch_libraries
from opweld.doctor import built, child
from opweld.doctor.functions import Functions, find_functions
from opweld.errors import OpweldError, UsageError

HALF = "int aclnnFaultyGetWorkspaceSize(void) { return 0; }\n"
WHOLE = HALF + "int aclnnFaulty(void) { return 0; }\n"


def compiled(folder: Path, code: str, name: str = "libcust_opapi.so", compiler: str = "cc") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / ("source.c" if compiler == "cc" else "source.cpp")
    source.write_text(code)
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(folder / name)], check=True)
    return folder / name


def rules(path: Path, functions: Functions | None = None, soc: str = "Ascend910B1") -> list[str]:
    found = built.examine_library(path, functions or Functions(False, ""), soc)
    return [item.rule_id for item in found]


def test_both_phases_are_right(tmp_path):
    assert rules(compiled(tmp_path, WHOLE)) == []


def test_one_phase(tmp_path):
    assert rules(compiled(tmp_path, HALF)) == ["OW902"]


def test_what_a_library_does_not_tell_is_said(tmp_path):
    code = 'const char *called = "aclnnFaulty";\n'
    plain = compiled(tmp_path, code)
    assert built.unseen([plain]) == []
    flags = ["-Wl,--no-as-needed", f"-L{torch_libraries()}", "-lc10"]
    library = tmp_path / "ops.so"
    subprocess.run(
        ["cc", "-shared", str(tmp_path / "source.c"), "-fPIC", *flags, "-o", str(library)], check=True
    )
    [note] = built.unseen([plain, library])
    assert "ops.so calls 1 aclnn function;" in note


def test_names_of_cpp(tmp_path):
    code = "int aclnnFaulty(void*) { return 0; }\nint aclnnFaultyGetWorkspaceSize(int) { return 0; }\n"
    assert rules(compiled(tmp_path, code, compiler="c++")) == ["OW910"]


INIT = "void *PyInit_faulty_ops(void) { return 0; }\n"


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("faulty_ops.cpython-311-x86_64-linux-gnu.so", True),
        ("faulty_ops.abi3.so", True),
        ("faulty_ops.so", True),
        ("libfaulty_ops.so", True),
        ("other_ops.cpython-311-x86_64-linux-gnu.so", False),
        ("other_ops.so", False),
    ],
)
def test_the_name_of_a_module(tmp_path, name, right):
    assert rules(compiled(tmp_path, INIT, name)) == ([] if right else ["OW723"])


NO_INIT = "int scale(int x) { return x; }\n"


@pytest.mark.parametrize(
    ("name", "source", "python"),
    [
        ("ops/_C.abi3.so", "ops/__init__.py", "from . import _C"),
        ("ops/_C.cpython-311-x86_64-linux-gnu.so", "ops/__init__.py", "from ._C import scale"),
        ("ops/_C.so", "ops/deep/layers.py", "from .._C import scale"),
        ("ops/_C.so", "test_ops.py", "import ops._C"),
        ("src/ops/_C.so", "test_ops.py", "from ops import _C"),
        ("libscale.so", "train.py", "import libscale"),
    ],
)
def test_a_library_that_is_imported_and_makes_no_module(tmp_path, monkeypatch, name, source, python):
    monkeypatch.chdir(tmp_path)
    library = compiled((tmp_path / name).parent, NO_INIT, Path(name).name)
    (tmp_path / source).parent.mkdir(exist_ok=True)
    (tmp_path / source).write_text(python)
    [found] = built.examine_modules([library], tmp_path)
    assert (found.rule_id, str(found.place)) == ("OW725", name)
    assert str(found.related[0][0]).startswith(f"{source}:1:")


@pytest.mark.parametrize(
    ("name", "source", "python"),
    [
        ("ops/_C.so", "ops/__init__.py", "import torch\ntorch.ops.load_library('_C.so')"),
        ("ops/_C.so", "ops/__init__.py", "try:\n    from . import _C\nexcept ImportError:\n    pass"),
        ("ops/_C.so", "train.py", "from others import _C"),
        ("ops/math.so", "ops/__init__.py", "import math"),
        ("ops/_C.so", "train.py", "import ops"),
    ],
)
def test_a_library_that_is_not_imported(tmp_path, monkeypatch, name, source, python):
    monkeypatch.chdir(tmp_path)
    library = compiled((tmp_path / name).parent, NO_INIT, Path(name).name)
    (tmp_path / source).write_text(python)
    assert built.examine_modules([library], tmp_path) == []


def test_a_library_by_itself_is_said_to_be_no_module(tmp_path):
    library = compiled(tmp_path, NO_INIT, "_C.abi3.so")
    [note] = built.unseen([library, compiled(tmp_path, INIT, "faulty_ops.abi3.so")])
    assert "_C.abi3.so has no PyInit__C: Python cannot import it" in note
    assert built.unseen([compiled(tmp_path, NO_INIT, "libplain.so")]) == []


def test_findings_stay_where_a_wheel_cannot_be_imported(opweld, tmp_path):
    library = compiled(tmp_path, NO_INIT, "_C.abi3.so")
    path = wheel(tmp_path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mine-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
        archive.writestr("mine/__init__.py", "from . import _C\n")
        archive.write(library, "mine/_C.abi3.so")
    result = opweld("doctor", path)
    assert result.returncode == 1, result.stderr
    assert "mine/_C.abi3.so: error[OW725]" in result.stdout
    assert "note: no operators examined: mine cannot be imported: ImportError" in result.stdout


@pytest.mark.parametrize(
    ("soc", "family", "right"),
    [
        ("Ascend910B1", "ascend910b", True),
        ("Ascend910B1", "ascend910", False),
        ("Ascend310P3", "ascend310p", True),
        ("Ascend950PR", "ascend950", True),
        ("Ascend910B1", "ascend310p", False),
    ],
)
def test_socs_of_a_vendor_package(tmp_path, soc, family, right):
    library = compiled(tmp_path / "op_api" / "lib", WHOLE)
    (tmp_path / "op_impl" / "ai_core" / "tbe" / "config" / family).mkdir(parents=True)
    assert rules(library, soc=soc) == ([] if right else ["OW907"])


def test_no_library_is_wrong_use(tmp_path):
    path = tmp_path / "lib.so"
    path.write_bytes(b"\x7fELF and no more")
    with pytest.raises(UsageError, match="damaged or cut off"):
        built.read(path)


def test_functions_are_found_on_the_path_and_off_it(tmp_path, monkeypatch):
    compiled(tmp_path / "vendors" / "mine" / "op_api" / "lib", WHOLE)
    monkeypatch.delenv("ASCEND_CUSTOM_OPP_PATH", raising=False)
    off = find_functions([tmp_path])
    assert off.phases("aclnnFaulty") == 0
    assert off.elsewhere["aclnnFaulty"] == tmp_path / "vendors" / "mine"
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(tmp_path / "vendors" / "mine"))
    on = find_functions([tmp_path])
    assert on.phases("aclnnFaulty") == 2
    assert on.elsewhere == {}
    assert on.phases("aclnnAdd") == 2


def wheel(folder: Path, requires: str = "", name: str = "mine-1.0-py3-none-any.whl", extra: str = "") -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        head = "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"
        archive.writestr(
            "mine-1.0.dist-info/METADATA", head + (f"Requires-Dist: {requires}\n" if requires else "")
        )
        archive.writestr("mine/__init__.py", "")
        if extra:
            archive.writestr(extra, "")
    return folder / name


def test_a_wheel_for_this_torch(tmp_path):
    with built.unpacked(wheel(tmp_path, "torch==2.13.0")) as found:
        assert found.package == "mine"
        assert (found.folder / "mine" / "__init__.py").is_file()
    assert not found.folder.exists()


@pytest.mark.parametrize(
    ("requires", "name", "told"),
    [
        ("torch==2.9.0", "mine-1.0-py3-none-any.whl", "is built for torch==2.9.0, and torch 2.13"),
        ("torch_npu<2", "mine-1.0-py3-none-any.whl", "is built for torch_npu<2"),
        ("", "mine-1.0-cp39-cp39-linux_x86_64.whl", "is built for cp39-cp39-linux_x86_64, which this Python"),
    ],
)
def test_a_wheel_for_another_torch_is_a_fault_of_the_environment(opweld, tmp_path, requires, name, told):
    result = opweld("doctor", wheel(tmp_path, requires, name))
    assert result.returncode == 3
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_wheel_that_would_write_elsewhere_is_refused(tmp_path):
    with (
        pytest.raises(UsageError, match="holds the path"),
        built.unpacked(wheel(tmp_path, extra="../evil.py")),
    ):
        pass


def answer(output: str, status: int = -6, step: str = "load", what: str = "libmine.so"):
    events = [{"event": "doing", "step": "start"}, {"event": "doing", "step": step, "what": what}]
    return child.read_answer(events, status, output).findings


# What torch itself prints on stderr before the process ends.
CLAIMED = """terminate called after throwing an instance of 'c10::Error'
  what():  Only a single TORCH_LIBRARY can be used to register the namespace my_ops; please put all of your
definitions in a single TORCH_LIBRARY block.
"""
DEFINED = """terminate called after throwing an instance of 'c10::Error'
  what():  Tried to register an operator (my_ops::scale(Tensor x) -> Tensor) with the same name and overload
name multiple times.
"""


@pytest.mark.parametrize(
    ("output", "rule", "told"),
    [
        (CLAIMED, "OW701", "namespace 'my_ops' is claimed already"),
        (DEFINED, "OW702", "my_ops::scale"),
        ("", "OW719", "loading libmine.so ends the process: SIGABRT"),
        ("  what():  basic_string\n", "OW719", "ends the process: basic_string"),
    ],
)
def test_a_library_that_ends_the_process(output, rule, told):
    (found,) = answer(output)
    assert found.rule_id == rule
    assert told in found.message


def test_an_operator_that_ends_the_process():
    (found,) = answer("", -11, "call", "my_ops::scale")
    assert (found.rule_id, found.message) == ("OW911", "calling my_ops::scale ends the process: SIGSEGV")


def test_a_module_that_cannot_be_imported_is_wrong_use():
    events = [{"event": "failed", "step": "import", "what": "mine", "reason": "ImportError: no"}]
    with pytest.raises(UsageError, match="mine cannot be imported: ImportError: no"):
        child.read_answer(events, 0, "")


def test_an_environment_without_torch_is_one_sentence():
    with pytest.raises(OpweldError, match="torch and torch_npu cannot be imported here"):
        child.read_answer([{"event": "failed", "step": "torch", "reason": "ImportError: no"}], 0, "")
    with pytest.raises(OpweldError, match="ended with status 1: ValueError: odd"):
        child.read_answer([], 1, "Traceback\nValueError: odd\n")


def test_a_second_definition_ends_the_examining_process_only(opweld, tmp_path):
    """Two copies of a library that claims a namespace: loading the second one ends a process."""
    for name in ("libone.so", "libtwo.so"):
        shutil.copy(Path(torch_libraries()) / "libaoti_custom_ops.so", tmp_path / name)
    result = opweld("doctor", ".", cwd=tmp_path)
    assert result.returncode == 1, result.stderr
    assert "libtwo.so: error[OW701]: loading libtwo.so ends the process: namespace " in result.stdout
