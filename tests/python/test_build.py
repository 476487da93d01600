"""`opweld new`, `gen` and `build`: from nothing to an operator that runs on the NPU."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from opweld.home import find_software_home


def changed_files(output: str) -> int:
    return int(re.search(r"(\d+)(?: of them)? new or changed", output)[1])


@pytest.fixture(scope="module")
def project(opweld, tmp_path_factory):
    """A new project, built once."""
    folder = tmp_path_factory.mktemp("projects")
    result = opweld("new", "fresh_ops", cwd=folder)
    assert result.returncode == 0, result.stderr
    result = opweld("build", "fresh_ops", cwd=folder, timeout=900)
    assert result.returncode == 0, result.stderr
    return folder / "fresh_ops"


@pytest.fixture(scope="module")
def installed(project, tmp_path_factory):
    """The project's wheel in a folder of its own, as an environment for subprocesses."""
    site = tmp_path_factory.mktemp("site")
    wheel = next((project / "dist").glob("*.whl"))
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(command, check=True)
    return os.environ | {"PYTHONPATH": str(site)}


def test_a_project_that_exists_is_left_alone(opweld, project):
    before = (project / "spec.yaml").read_text()
    result = opweld("new", "fresh_ops", cwd=project.parent)
    assert result.returncode == 2
    assert "is there and not empty" in result.stderr
    assert (project / "spec.yaml").read_text() == before


def test_generate_in_the_folder_of_the_spec(opweld, project, tmp_path):
    shutil.copytree(project / "kernels", tmp_path / "kernels")
    shutil.copy(project / "spec.yaml", tmp_path)
    result = opweld("gen", "spec.yaml", "-o", "build/opweld", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    cmake = (tmp_path / "build/opweld/CMakeLists.txt").read_text()
    assert '(OPWELD_SPEC_DIR "${CMAKE_CURRENT_SOURCE_DIR}/../.."' in cmake


def test_the_build_leaves_a_wheel_and_a_vendor_package(project):
    (wheel,) = (project / "dist").glob("fresh_ops-*.whl")
    (vendor,) = (project / "dist").glob("fresh_ops-*-vendor-software.tar.gz")
    assert wheel.stat().st_size > 0
    with tarfile.open(vendor) as archive:
        assert "vendors/fresh_ops/op_api/lib/libcust_opapi.so" in archive.getnames()


def test_a_second_build_compiles_nothing(opweld, project):
    library = next((project / "build").rglob("libcust_opapi.so"))
    before = library.stat().st_mtime_ns
    result = opweld("build", project)
    assert result.returncode == 0, result.stderr
    assert changed_files(result.stdout) == 0
    assert library.stat().st_mtime_ns == before


def test_what_an_older_opweld_was_found_in_is_looked_for_anew(project, tmp_path):
    stale = {
        "OPWELD_INCLUDE_DIR:PATH": "Path to a file.",
        "OPWELD_GRAPH_INCLUDE_DIR:PATH": "Folder of graph/operator_reg.h",
        "OPWELD_NNOPBASE:FILEPATH": "Path to a library.",
        "OPWELD_GRAPH:FILEPATH": "Path to a library.",
    }
    cache = tmp_path / "CMakeCache.txt"
    cache.write_text("".join(f"//{help}\n{name}=/older/opweld\n" for name, help in stale.items()))
    command = ["cmake", "-S", project / "build/opweld", "-B", tmp_path, "-G", "Ninja"]
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-DOPWELD_CANN_HOME={find_software_home()}"]
    subprocess.run([*command, *options], check=True, capture_output=True)
    assert "/older" not in (tmp_path / "build.ninja").read_text()
    subprocess.run([*command, "-DOPWELD_INCLUDE_DIR=/mine"], check=True, capture_output=True)
    assert "-I/mine" in (tmp_path / "build.ninja").read_text()


def test_the_operator_is_registered_whole_and_right(opweld, installed):
    code = """
import torch, fresh_ops
from opweld import check_operator_registration
report = check_operator_registration("npu::npu_fresh_ops_scale")
print(report)
assert report.ok
x = torch.arange(6.0, device="npu").reshape(2, 3).requires_grad_()
y = torch.ops.npu.npu_fresh_ops_scale(x, alpha=2.5)
y.sum().backward()
torch.testing.assert_close(y.detach().cpu(), 2.5 * torch.arange(6.0).reshape(2, 3))
torch.testing.assert_close(x.grad.cpu(), torch.full((2, 3), 2.5))
"""
    result = opweld("run", "-q", "--software", "--", "python", "-c", code, env=installed)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "aclnnFreshOpsScale in " in result.stdout, result.stdout


def test_a_process_that_is_not_on_the_npu_is_told_what_to_do(python, installed):
    environ = {name: value for name, value in installed.items() if name != "LD_LIBRARY_PATH"}
    result = python("import fresh_ops", env=environ)
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("ImportError: fresh_ops needs torch")
    assert "opweld run" in last
    assert "import opweld" in last


def test_import_opweld_finds_the_vendor_folder_too(python, installed):
    code = """
import opweld, torch, fresh_ops
print(torch.ops.npu.npu_fresh_ops_scale(torch.ones(2, device="npu"), alpha=3.0).cpu().tolist())
"""
    result = python(code, env=installed)
    assert result.stdout == "[3.0, 3.0]\n", result.stderr


def test_the_projects_own_tests_pass(opweld, project, installed):
    tests = [project / "tests", project / "build" / "opweld" / "tests"]
    command = [
        "run",
        "-q",
        "--software",
        "--",
        "python",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    result = opweld(*command, env=installed, timeout=900)
    assert result.returncode == 0, result.stdout + result.stderr


def test_info_lists_the_package(opweld, installed):
    result = opweld("info", env=installed)
    assert "fresh-ops" in result.stdout.replace("_", "-")


@pytest.fixture
def copy(project, tmp_path):
    """Sources of the project, to be broken."""
    target = tmp_path / "fresh_ops"
    shutil.copytree(project, target, ignore=shutil.ignore_patterns("build", "dist"))
    return target


def test_a_faulty_spec_is_explained_and_nothing_is_generated(opweld, copy):
    spec = copy / "spec.yaml"
    spec.write_text(spec.read_text().replace("x.shape}", "x.shap}"))
    result = opweld("build", copy)
    assert result.returncode == 1
    assert "spec.yaml:" in result.stderr
    assert "did you mean '.shape'?" in result.stderr
    assert not (copy / "build" / "opweld").exists()
    assert not (copy / "dist").exists()


def test_a_broken_kernel_is_shown_at_its_place(opweld, copy):
    kernel = copy / "kernels" / "scale.cpp"
    lines = kernel.read_text().splitlines()
    number = next(index for index, line in enumerate(lines) if "static_cast<Number>(args.alpha)" in line) + 1
    broken = kernel.read_text().replace("args.alpha);", "args.alhpa);  // caf\u00e9")
    kernel.write_text(broken, encoding="latin-1")  # what the compiler quotes is no UTF-8
    result = opweld("build", "fresh_ops", cwd=copy.parent, timeout=900)
    assert result.returncode == 1
    assert f"fresh_ops/kernels/scale.cpp:{number}:" in result.stderr
    assert "alhpa" in result.stderr
    assert "the kernel sources of fresh_ops do not compile" in result.stderr


def test_a_kernel_function_that_is_missing_is_told_with_its_operator(opweld, copy):
    kernel = copy / "kernels" / "scale.cpp"
    kernel.write_text(kernel.read_text().replace("fresh_ops_scale(", "other_name("))
    result = opweld("build", "fresh_ops", cwd=copy.parent, timeout=900)
    assert result.returncode == 1
    assert (
        "link: error: the kernel function of npu::npu_fresh_ops_scale is defined nowhere: kernels/scale.cpp "
        "must have 'void fresh_ops_scale(const FreshOpsScaleArgs& args)' in namespace fresh_ops"
    ) in result.stderr
    assert "do not link" in result.stderr


def test_a_formula_with_too_few_results_is_told_with_its_operator_and_line(opweld, tmp_path):
    (tmp_path / "spec.yaml").write_text(
        "version: 1\npackage: two\nops:\n  - op: npu_two\n    input_desc: [{name: x, type: [float32]}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}, {name: z, type: x.dtype, shape: '[]'}]\n"
        '    backward: none\n    kernel: [{language: compose, formula: "at::sin(x)"}]\n'
    )
    result = opweld("build", tmp_path, timeout=900)
    assert result.returncode == 1
    assert "the formula of npu::npu_two (line 8 of the spec) doesn't give its 2 outputs" in result.stderr
    assert "a formula of" in result.stderr
    assert "fault of opweld" not in result.stderr


def test_many_errors_are_cut(opweld, copy):
    kernel = copy / "kernels" / "scale.cpp"
    kernel.write_text("".join(f"int wrong_{index} = nothing_{index};\n" for index in range(50)))
    result = opweld("build", "fresh_ops", cwd=copy.parent, timeout=900)
    assert result.returncode == 1
    assert result.stderr.count("scale.cpp:") == 5
    assert "scale.cpp:1:" in result.stderr


def test_the_build_shows_its_progress(opweld, copy):
    result = opweld("build", "fresh_ops", cwd=copy.parent, timeout=900)
    assert result.returncode == 0, result.stderr
    assert re.search(r"^  \d+/10 kernels/scale\.cpp$", result.stdout, re.MULTILINE), result.stdout


def test_generating_onto_a_file_is_wrong_use(opweld, project, tmp_path):
    (tmp_path / "taken").write_text("mine")
    for output in ("taken", "taken/below"):
        result = opweld("gen", project / "spec.yaml", "-o", tmp_path / output)
        assert result.returncode == 2
        assert result.stderr.endswith("taken is a file; name a folder for what is generated\n")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_second_build_of_a_project_waits(tmp_path):
    code = "import sys; from pathlib import Path; from opweld.commands.build import only_build\n"
    code += "with only_build(Path(sys.argv[1])): print('in', flush=True); sys.stdin.readline()"
    command = [sys.executable, "-c", code, str(tmp_path / "build")]
    keywords = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **keywords) as first:
        assert first.stdout.readline() == "in\n"
        with subprocess.Popen(command, **keywords) as second:
            assert second.stdout.readline() == "waiting: this project is being built by another process\n"
            first.kill()  # a build that is killed leaves nothing behind that others wait for
            assert second.stdout.readline() == "in\n"
            second.communicate("\n")


def test_a_project_that_cannot_be_written_is_told(opweld, copy):
    (copy / "build").write_text("in the way")
    result = opweld("build", copy)
    assert result.returncode == 3
    assert f"nothing can be written to {copy}/build" in result.stderr


def test_a_name_that_the_file_system_refuses(opweld, tmp_path):
    result = opweld("new", "a" * 300, cwd=tmp_path)
    assert result.returncode == 3
    assert len(result.stderr.splitlines()) == 1
    assert "File name too long" in result.stderr


def test_gen_writes_once_and_then_changes_nothing(opweld, project, tmp_path):
    first = opweld("gen", project / "spec.yaml", "-o", tmp_path / "out")
    assert first.returncode == 0, first.stderr
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert changed_files(first.stdout) >= 10
    second = opweld("gen", project / "spec.yaml", "-o", tmp_path / "out")
    assert changed_files(second.stdout) == 0
    assert written == {path: path.stat().st_mtime_ns for path in written}


def test_check_accepts_the_project_and_strictness_counts_warnings(opweld, project, tmp_path):
    assert opweld("check", project / "spec.yaml").returncode == 0
    listing = tmp_path / "ops.json"
    listing.write_text(
        '[{"op": "AddCustom", "language": "cpp",'
        ' "input_desc": [{"name": "x", "param_type": "required", "format": ["ND"], "type": ["fp16"]}],'
        ' "output_desc": [{"name": "y", "param_type": "required", "format": ["ND"], "type": ["fp16"]}]}]'
    )
    relaxed = opweld("check", listing)
    assert "warning[" in relaxed.stdout, relaxed.stdout + relaxed.stderr
    assert relaxed.returncode == 0
    assert opweld("check", "--strict", listing).returncode == 1


def test_the_json_schema_accepts_the_project(opweld, project):
    import json

    import jsonschema
    import yaml

    schema = json.loads(opweld("check", "--json-schema").stdout)
    jsonschema.validate(yaml.safe_load((Path(project) / "spec.yaml").read_text()), schema)


def test_import_names_the_users_file(opweld, tmp_path):
    (tmp_path / "mine.json").write_text('[{"op": 3}]')
    (tmp_path / "mine.yaml").write_text("a: b\n")
    for name in ("mine.json", "mine.yaml"):
        result = opweld("import", name, cwd=tmp_path)
        assert result.returncode == 1
        assert result.stderr.startswith(f"{name}:1:"), result.stderr


def test_import_of_msopgen_and_of_nothing(opweld, tmp_path):
    (tmp_path / "empty.json").write_text("[]")
    result = opweld("import", tmp_path / "empty.json")
    assert result.returncode == 1
    assert "could be imported" in result.stderr
