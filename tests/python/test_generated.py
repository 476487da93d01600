"""A spec with every kind of input, attribute and output: built once, loaded, and run on NPU and CPU."""

import subprocess
import sys

import pytest

from npu_process import OPWELD, NpuProcess

DEVICES = ["cpu", "npu"]


@pytest.fixture(scope="module")
def project(all_types):
    return all_types


@pytest.fixture(scope="module")
def operators(project):
    """A process on the software NPU that has the package."""
    process = NpuProcess(environ={"PYTHONPATH": str(project / "site")})
    yield process
    process.close()


def test_nothing_is_built_twice(opweld, project):
    result = opweld("build", project, timeout=1200)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 new or changed" in result.stdout
    log = (project / "build" / "cmake-software.log").read_text()
    assert "Building CXX" not in log


@pytest.mark.slow
def test_the_generated_tests_pass(project):
    command = [OPWELD, "run", "--", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(
        command,
        cwd=project / "build" / "opweld",
        env={"PYTHONPATH": str(project / "site"), **_environment()},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    assert "skipped" not in result.stdout.splitlines()[-1]


def _environment():
    import os

    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.mark.parametrize("device", DEVICES)
def test_vmap(operators, device):
    assert operators.call("generated_checks:vmap", device=device) == {
        "whole batch": True,
        "other dimension": True,
        "both inputs": True,
        "one of two inputs": True,
        "nested": True,
        "gradient": True,
    }


@pytest.mark.parametrize("device", DEVICES)
def test_autocast(operators, device):
    found = operators.call("generated_checks:autocast", device=device)
    assert found["fp32"] == "torch.float32"
    assert found["promote same"] == "torch.float32"
    assert "joined: keys is bfloat16; accepted are float32, float64" in found["lower is refused by dtype"]


@pytest.mark.parametrize("device", DEVICES)
def test_second_derivative(operators, device):
    found = operators.call("generated_checks:second_derivative", device=device)
    assert found == pytest.approx([12, 27, 12, 18])


@pytest.mark.parametrize("device", DEVICES)
def test_what_cannot_be_differentiated_says_so(operators, device):
    found = operators.call("generated_checks:no_derivative", device=device)
    assert "all_types::channels has no derivative" in found["functional"]
    assert "all_types::bump_ has no derivative" in found["mutating"]
    assert "leaf Variable that requires grad" in found["leaf"]
    assert "all_types::power has no forward-mode derivative" in found["forward mode"]


@pytest.mark.parametrize("device", DEVICES)
def test_mutation(operators, device):
    found = operators.call("generated_checks:mutation", device=device)
    assert found["same tensor"]
    assert found["version"] == 1
    assert found["values"] == [3, 4, 5, 6, 7, 8]
    assert found["filled"] == [7] * 8
    assert "modified by an inplace operation" in found["modified before backward"]
    assert found["functionalized"] == [2, 3, 4, 5, 6, 7]
    assert found["compiled"] == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("device", DEVICES)
def test_writing_where_elements_share_memory_is_refused(operators, device):
    found = operators.call("generated_checks:overlap", device=device)
    single = (
        "unsupported operation: more than one element of {}, which is written to, refers to a single memory"
    )
    assert "all_types::bump_: " + single.format("x") in found["expanded"]
    assert "all_types::bump_: " + single.format("x") in found["expanded meta"]
    assert "all_types::fill_all: " + single.format("targets") in found["in a list"]
    assert "some elements of targets and targets refer to a single memory location" in found["partly"]
    assert "some elements of targets and extra refer to a single memory location" in found["partly optional"]
    assert found["allowed"] == str([2.0] * 8)


@pytest.mark.parametrize("device", DEVICES)
def test_outputs(operators, device):
    assert operators.call("generated_checks:outputs", device=device) == {
        "turned": [[3, 2], [1, 3], True],
        "pieces": [[[2, 1], [1, 1]], [[2, 2], [2, 2, 2, 2]]],
        "absent": True,
        "values": [6, 0.5, False],
        "copy": True,
        "channels last": [24, 1, 8, 2],
        "positive": [2, 3],
        "view": True,
    }


def test_operator_without_a_tensor_input(operators):
    found = operators.call("generated_checks:factory")
    assert "length must not be negative" in found.pop("negative")
    assert found == {
        "cpu": [[0, 1, 2], "cpu"],
        "npu": [[0, 1, 2, 3], "npu", True],
        "dtype": "torch.int64",
        "meta": [5],
    }


@pytest.mark.parametrize("device", DEVICES)
def test_random_numbers_depend_on_the_generator_only(operators, device):
    found = operators.call("generated_checks:noise", device=device)
    assert [name for name, right in found.items() if not right] == []


def test_wrong_calls_are_refused_by_name(operators):
    found = operators.call("generated_checks:refusals")
    assert "all_types::joined: node is on cpu" in found["device"]
    assert "all_types::power: x is int32; accepted are float32, float16, bfloat16, float64" in found["dtype"]
    assert "all_types::power: exponent must be 1, 2 or 3" in found["constraint"]
    assert (
        "all_types::scaled_sum: xs is float64, which does not go together with xs of float32" in found["pair"]
    )
    assert "all_types::every_output: x must be a matrix" in found["rank"]
    assert "data-dependent shape" in found["meta"]


def test_shapes_stay_symbolic(operators):
    found = operators.call("generated_checks:dynamic_shapes")
    assert found == {"graphs": 1, "results": [[2, 3], [5, 3], [9, 3]]}


def test_sizes_that_depend_on_values_are_unknown_sizes_to_the_compiler(operators):
    found = operators.call("generated_checks:unknown_sizes")
    assert "all_types::positive: x is float64; accepted are float32, int64" in found.pop("constraint")
    assert found == {
        "fake": [1, True, "torch.float32"],
        "exported": [10],
        "compiled": [3, 4],
    }


def test_a_name_clash_is_an_import_error(operators):
    found = operators.call("generated_checks:name_clash")
    assert found.startswith(
        "ImportError: all_types defines all_types::every_input, which this process has already"
    )


def test_torch_library_opcheck(operators):
    found = operators.call("generated_checks:opcheck")
    assert set(found.values()) == {"SUCCESS"}


def test_import_without_the_vendor_folder_says_what_to_do(project, python):
    code = "import os, opweld, torch\nos.environ['ASCEND_CUSTOM_OPP_PATH'] = ''\nimport all_types\n"
    result = python(code, env={**_environment(), "PYTHONPATH": str(project / "site")})
    assert result.returncode != 0
    assert "ImportError: torch_npu does not know the operators of all_types" in result.stderr
    assert "opweld run" in result.stderr


def test_import_without_an_npu(project, python):
    code = "import torch, all_types; print(all_types.power(torch.ones(2)).tolist())"
    environ = {**_environment(), "PYTHONPATH": str(project / "site"), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    result = python(code, env=environ)
    assert result.stdout.strip() == "[1.0, 1.0]", result.stderr
