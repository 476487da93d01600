"""examples/custom_linear: built, proved right, and trained on the NPU as on the CPU."""

import math
import subprocess
import sys

import pytest

from npu_process import NpuProcess
from test_compiled_models import check

TOLERANCE = {"float32": 1e-4, "bfloat16": 3e-2, "float16": 2e-2}


@pytest.fixture(scope="module")
def tutorial(opweld, root, tmp_path_factory):
    """A process on the software NPU with the example's package."""
    result = opweld("build", root / "examples" / "custom_linear", timeout=900)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = (root / "examples" / "custom_linear" / "dist").glob("custom_linear-*.whl")
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(command, check=True)
    process = NpuProcess(environ={"PYTHONPATH": str(site)})
    yield process
    process.close()


@pytest.mark.parametrize("device", ["npu", "cpu"])
def test_it_computes_what_linear_computes(tutorial, device):
    found = tutorial.call("tutorial:proof", device=device)
    assert found["wrong"] == []
    assert len(found["right"]) > 100


def test_the_proof_finds_a_wrong_operator(tutorial):
    found = tutorial.call("tutorial:proof_of_a_wrong_operator", device="npu")
    assert {what.split()[0] for what in found["wrong"]} == {"float16"}


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("dtype", list(TOLERANCE))
def test_it_trains_as_on_the_cpu(tutorial, dtype, optimizer):
    on_npu = tutorial.call("tutorial:losses", device="npu", dtype=dtype, optimizer=optimizer)
    on_cpu = tutorial.call("tutorial:losses", device="cpu", dtype=dtype, optimizer=optimizer)
    assert all(math.isfinite(loss) for loss in on_cpu)
    assert on_cpu[-1] < 0.9 * on_cpu[0]
    # In 16 bits a loss near 0 has few right digits.
    near_zero = 0 if dtype == "float32" else TOLERANCE[dtype] / 10
    assert on_npu == pytest.approx(on_cpu, rel=TOLERANCE[dtype], abs=near_zero)


@pytest.mark.parametrize("mode", ["graph", "captured"])
def test_it_compiles(tutorial, mode):
    assert tutorial.call("tutorial:compiled_model", mode=mode) == [0, "equal to eager mode"]


@pytest.mark.parametrize(
    ("mode", "dtype", "dynamic"),
    [
        pytest.param(
            mode,
            dtype,
            dynamic,
            marks=() if (mode, dtype, dynamic) == ("graph", "float16", True) else pytest.mark.slow,
        )
        for mode in ("graph", "npugraph_ex", "reduce-overhead")
        for dtype in TOLERANCE
        for dynamic in (False, True)
    ],
)
def test_its_model_compiles_in_every_dtype(tutorial, mode, dtype, dynamic):
    found = tutorial.call(
        "compiled_models:compare", model="tutorial", dtype=dtype, dynamic=dynamic, mode=mode
    )
    check(found, dtype)
    assert found["recompilations"] == 0


def test_a_function_that_another_package_has_first_is_refused(tutorial, tmp_path):
    library = tmp_path / "op_api" / "lib" / "libcust_opapi.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"\0aclnnOtherGetWorkspaceSize\0")
    assert tutorial.call("tutorial:function_clash", folder=str(tmp_path)) == ""
    library.write_bytes(b"\0aclnnCustomLinearGetWorkspaceSize\0")
    message = tutorial.call("tutorial:function_clash", folder=str(tmp_path))
    assert "custom_linear has aclnnCustomLinear, and so has" in message
    assert str(library) in message
    assert "ge_op" in message


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("other device", ["npu::npu_custom_linear", "weight is on cpu", "npu:0"]),
        ("dtype", ["npu::npu_custom_linear", "x is int32", "float32, float16, bfloat16"]),
        ("mixed dtypes", ["npu::npu_custom_linear", "weight", "float16"]),
        ("shape", ["npu::npu_custom_linear", "x and weight disagree on in_features"]),
        ("bias", ["npu::npu_custom_linear", "bias must be [out_features]"]),
        ("no bias", ["npu::npu_custom_linear", "use_bias needs a bias"]),
        ("second derivative", ["npu_custom_linear_backward", "has no derivative"]),
    ],
)
def test_wrong_calls_are_refused_by_name(tutorial, case, words):
    message = tutorial.call("tutorial:refusal", case=case)
    assert [word for word in words if word not in message] == [], message
