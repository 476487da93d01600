"""`opweld abi`: the audit of the installed torch_npu, of small libraries, and of damaged files."""

import contextlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random

import pytest

from opweld.abi import audit
from opweld.abi.elf import read_library
from opweld.abi.package import package_folders
from opweld.abi.software import read_software
from opweld.errors import FaultsFound, OpweldError, UsageError
from opweld.home import software_home


@pytest.fixture(scope="session")
def torch_npu_report():
    return audit("torch_npu")


@pytest.fixture(scope="session")
def build_library(tmp_path_factory):
    """Compiles a library that calls functions of libascendcl.so."""

    def build(*functions: str, soname: str = "libuser.so", needs: str = "") -> bytes:
        folder = tmp_path_factory.mktemp("library")
        calls = "".join(f"    {name}();\n" for name in functions)
        declarations = "".join(f"int {name}(void);\n" for name in functions)
        (folder / "user.c").write_text(f"{declarations}void user(void) {{\n{calls}}}\n")
        options = ["-shared", "-fPIC", f"-Wl,-soname,{soname}", "-Wl,--no-as-needed"]
        if needs:
            (folder / "empty.c").write_text("")
            subprocess.run(
                ["cc", "-shared", f"-Wl,-soname,{needs}", "-o", folder / "needed.so", folder / "empty.c"],
                check=True,
            )
            options += [folder / "needed.so"]
        runtime = software_home() / "lib64" / "libascendcl.so"
        subprocess.run(["cc", *options, "-o", folder / soname, folder / "user.c", runtime], check=True)
        return (folder / soname).read_bytes()

    return build


def make_wheel(path: Path, libraries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("user-1.0.dist-info/METADATA", "Name: user\nVersion: 1.0\n")
        for name, content in libraries.items():
            wheel.writestr(f"user/{name}", content)
    return path


def test_everything_torch_npu_binds_at_load_exists(torch_npu_report):
    assert torch_npu_report.loads
    assert len(torch_npu_report.at_load) > 170
    assert {need.status for need in torch_npu_report.at_load} <= {"implemented", "no-op", "fails"}


def test_every_name_torch_npu_looks_up_is_accounted_for(torch_npu_report):
    looked_up = torch_npu_report.looked_up + torch_npu_report.aclnn
    assert len(torch_npu_report.aclnn) > 900
    assert [need.symbol for need in looked_up if need.status == "missing"] == []


def test_what_is_not_implemented_has_a_reason(torch_npu_report):
    needs = torch_npu_report.at_load + torch_npu_report.looked_up + torch_npu_report.aclnn
    assert [need.symbol for need in needs if need.status != "implemented" and not need.reason] == []


def test_libraries_loaded_on_first_use_are_a_section_of_their_own(torch_npu_report):
    (late,) = torch_npu_report.on_first_use
    assert (late.library, late.needs) == ("lib/libop_plugin_atb.so", ["libatb.so"])
    assert late.reason
    assert any("atb" in symbol for symbol in late.symbols)
    assert not any("atb" in need.symbol for need in torch_npu_report.at_load)


def test_the_graph_engine_goes_by_readable_names(torch_npu_report):
    names = {need.name for need in torch_npu_report.at_load}
    assert {"ge::Session::AddGraph", "ge::GEGetErrorMsg"} <= names


def test_the_command_tells_counts_and_reasons(opweld):
    result = opweld("abi", "torch_npu")
    assert (result.returncode, result.stderr) == (0, "")
    assert "bound at load: " in result.stdout
    assert "libatb.so" in result.stdout
    assert result.stdout.endswith("everything needed at load exists\n")


def test_the_command_writes_json(opweld, build_library, tmp_path):
    wheel = make_wheel(
        tmp_path / "user-1.0-py3-none-any.whl", {"libuser.so": build_library("aclrtSetDevice")}
    )
    result = opweld("abi", wheel, "--format", "json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["target"], found["version"], found["loads"]) == ("user", "1.0", True)
    (need,) = found["at_load"]
    assert (need["symbol"], need["status"], need["library"]) == (
        "aclrtSetDevice",
        "implemented",
        "libascendcl.so",
    )
    assert need["users"] == ["user/libuser.so"]


def test_a_missing_symbol_is_named_and_ends_with_1(opweld, build_library, tmp_path):
    content = build_library("aclrtSetDevice", "aclrtNoSuchThing")
    wheel = make_wheel(tmp_path / "user-1.0-py3-none-any.whl", {"libuser.so": content})
    result = opweld("abi", wheel)
    assert result.returncode == 1
    assert "aclrtNoSuchThing is missing: user/libuser.so cannot load" in result.stdout
    assert result.stdout.endswith("it cannot be loaded: see what is missing above\n")


def test_a_library_of_the_same_package_may_have_the_symbol(build_library, tmp_path):
    libraries = {"libuser.so": build_library("helper"), "libhelper.so": build_library(soname="libhelper.so")}
    report = audit(str(make_wheel(tmp_path / "a-1-py3-none-any.whl", libraries)))
    assert [need.symbol for need in report.at_load if need.status == "missing"] == ["helper"]
    (tmp_path / "helper.c").write_text("int helper(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-o", tmp_path / "helper.so", tmp_path / "helper.c"], check=True)
    libraries["libhelper.so"] = (tmp_path / "helper.so").read_bytes()
    report = audit(str(make_wheel(tmp_path / "b-1-py3-none-any.whl", libraries)))
    assert report.loads


def test_a_missing_library_of_an_extension_module_is_a_fault(build_library, tmp_path):
    content = build_library("aclrtSetDevice", needs="libnowhere.so.3")
    extension = make_wheel(tmp_path / "a-1-py3-none-any.whl", {"_C.cpython-311-x86_64-linux-gnu.so": content})
    report = audit(str(extension))
    assert not report.loads
    assert report.missing_libraries == {"libnowhere.so.3": ["user/_C.cpython-311-x86_64-linux-gnu.so"]}
    plugin = audit(str(make_wheel(tmp_path / "b-1-py3-none-any.whl", {"libplugin.so": content})))
    assert plugin.loads
    assert [late.needs for late in plugin.on_first_use] == [["libnowhere.so.3"]]


def test_a_folder_can_be_examined(build_library, tmp_path):
    (tmp_path / "libuser.so").write_bytes(build_library("aclrtSetDevice"))
    assert [need.symbol for need in audit(str(tmp_path)).at_load] == ["aclrtSetDevice"]


def test_damaged_libraries_are_told_in_one_sentence(build_library, tmp_path):
    whole = build_library("aclrtSetDevice")
    damaged = {
        "header": whole[:40],
        "half": whole[: len(whole) // 2],
        "last": whole[:-1],
        "text": b"no library at all",
        "empty": b"",
        "sections": whole[:40] + b"\xff" * 8 + whole[48:],
    }
    for name, content in damaged.items():
        wheel = make_wheel(tmp_path / f"{name}-1-py3-none-any.whl", {"libuser.so": content})
        with pytest.raises(FaultsFound, match=r"^user/libuser\.so is (damaged|no ELF)") as caught:
            audit(str(wheel))
        assert "\n" not in str(caught.value), name


def test_changed_bytes_never_crash_the_reader(build_library):
    whole = build_library("aclrtSetDevice")
    random = Random(7)
    read = 0
    for _ in range(300):
        changed = bytearray(whole)
        for _ in range(random.randint(1, 8)):
            changed[random.randrange(len(changed))] = random.randrange(256)
        changed[random.randrange(64)] ^= 1 << random.randrange(8)
        with contextlib.suppress(FaultsFound):
            read_library(bytes(changed), "libuser.so", with_names=True)
            read += 1
    assert 0 < read < 300


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("no_such_package", "no package of this name is installed: no_such_package"),
        ("nowhere/x-1.whl", "there is no file nowhere/x-1.whl"),
        ("../nowhere", "there is no file or folder ../nowhere"),
        ("packaging", "packaging has no shared libraries"),
        (__file__, "is no wheel; give a .whl file"),
    ],
)
def test_what_cannot_be_examined_is_wrong_use(target, sentence):
    with pytest.raises(UsageError) as caught:
        audit(target)
    assert sentence in str(caught.value)


def test_files_that_are_no_wheels_are_told(opweld, tmp_path):
    text = tmp_path / "text-1-py3-none-any.whl"
    text.write_text("not a zip file")
    result = opweld("abi", text)
    assert (result.returncode, result.stdout) == (1, "")
    assert "is damaged or no wheel" in result.stderr
    assert result.stderr.count("\n") == 1
    archive = tmp_path / "zip-1-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as content:
        content.writestr("libuser.so", b"")
    result = opweld("abi", archive)
    assert result.returncode == 2
    assert "it holds no .dist-info/METADATA" in result.stderr


def test_a_damaged_software_npu_is_a_fault_of_opweld(tmp_path):
    with pytest.raises(OpweldError, match=r"opweld\.json is missing; build opweld again"):
        read_software(tmp_path)
    (tmp_path / "opweld.json").write_text("{")
    with pytest.raises(OpweldError, match="is damaged"):
        read_software(tmp_path)


def test_packages_are_found_without_importing_them():
    assert [folder.name for folder in package_folders("torch_npu")] == ["torch_npu"]
    assert package_folders("os.path") == []


def test_the_reference_page_is_in_step(root):
    page = root / "docs" / "reference" / "abi.md"
    command = [sys.executable, "-m", "opweld.abi.page", "--check", page]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
