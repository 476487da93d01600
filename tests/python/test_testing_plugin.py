"""`pytest -p opweld` and opweld.testing."""

import re
import subprocess
import sys

import pytest

from cpu_torch import torch
from opweld.testing import assert_close, assert_same_bits, assert_same_form, compare

SUITE = """
import pytest, torch
from opweld.testing import assert_close

KEPT = []

def test_runs(npu_device, opweld_device):
    x = torch.randn(3).to(npu_device)
    assert_close(x * 2, x.cpu() * 2)
    assert (opweld_device.soc, torch.npu.device_count()) == ("Ascend950PR", 2)

def test_keeps(npu_device):
    KEPT.append(torch.ones(1000, device=npu_device))

@pytest.mark.opweld_keeps_memory
def test_may_keep(npu_device):
    KEPT.append(torch.ones(1000, device=npu_device))

@pytest.mark.opweld_devices(3)
def test_three_devices():
    raise AssertionError

def test_faults(npu_faults, npu_device):
    x = torch.ones(3, device=npu_device)
    with pytest.raises(RuntimeError, match="507015"), npu_faults("kernel@1"):
        x.add(1)
    assert x.add(1).sum() == 6

@pytest.mark.opweld_soc("Ascend910B1")
def test_other_soc():
    raise AssertionError

@pytest.mark.opweld_devices(2)
def test_two_devices(npu_devices):
    assert (torch.ones(2, device=npu_devices[1]) + 1).tolist() == [2, 2]
"""


def pytest_run(folder, *options):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "opweld",
        "-p",
        "no:cacheprovider",
        "-rs",
        "-v",
        *options,
    ]
    return subprocess.run(
        [*command, "test_suite.py"], cwd=folder, capture_output=True, text=True, timeout=600
    )


def test_a_suite_on_two_devices(tmp_path):
    (tmp_path / "test_suite.py").write_text(SUITE)
    result = pytest_run(
        tmp_path, "--opweld-devices=2", "--opweld-soc=Ascend950PR", "--opweld-leaks=fail", "--strict-markers"
    )
    outcomes = dict(re.findall(r"::(test_\w+) (\w+)", result.stdout))
    assert outcomes == {
        "test_runs": "PASSED",
        "test_keeps": "FAILED",
        "test_faults": "PASSED",
        "test_may_keep": "PASSED",
        "test_three_devices": "SKIPPED",
        "test_other_soc": "SKIPPED",
        "test_two_devices": "PASSED",
    }, result.stdout + result.stderr
    assert "opweld: software NPU, 2 x Ascend950PR" in result.stdout
    assert "the test keeps device memory: 4096 bytes on npu:0" in result.stdout
    assert "needs 3 devices, there are 2: --opweld-devices 3" in result.stdout


def test_wrong_options_are_one_sentence(tmp_path):
    (tmp_path / "test_suite.py").write_text(SUITE)
    result = pytest_run(tmp_path, "--opweld-soc=Nothing")
    assert result.returncode == 4
    assert "no SoC 'Nothing'" in result.stderr


def test_close():
    x = torch.randn(4, 5)
    assert_close([x.half(), None], [x.double(), None], check_dtype=False)
    assert_close(torch.tensor([float("nan"), float("inf")]), torch.tensor([float("nan"), float("inf")]))
    y = x.clone()
    y[1, 2] += 0.5
    with pytest.raises(AssertionError, match=r"element \[1, 2\]: .* instead of .* times the allowed"):
        assert_close(y, x)
    with pytest.raises(AssertionError, match=r"the result is torch.float16 instead of torch.float32"):
        assert_close(x.half(), x)
    with pytest.raises(AssertionError, match=r"has shape \[4, 5\] instead of \[5, 4\]"):
        assert_close(x, x.mT)
    with pytest.raises(AssertionError):
        assert_close(torch.tensor([float("inf")]), torch.tensor([-float("inf")]))
    with pytest.raises(AssertionError):
        assert_close(torch.tensor([1, 2]), torch.tensor([1, 3]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_rounding_is_allowed_and_little_more(dtype):
    x = torch.linspace(0.5, 2, 1000, dtype=torch.float64)
    assert compare(x.to(dtype), x).right
    assert not compare((x * 1.2).to(dtype), x).right


def test_the_histogram_counts_every_element():
    x = torch.linspace(1, 2, 1000, dtype=torch.float64)
    found = compare(x * torch.where(x < 1.5, 1.0, 1.0005), x)
    assert sum(found.histogram.values()) == 1000
    assert found.histogram["equal"] == 500
    assert set(found.histogram) == {"equal", "-4"}


def test_forms_and_bits():
    x = torch.randn(3, 4)
    assert_same_form(x, torch.empty(3, 4))
    with pytest.raises(AssertionError, match="with strides"):
        assert_same_form(x.mT.contiguous().mT, x)
    assert_same_bits(x, x.clone())
    with pytest.raises(AssertionError, match="other bits"):
        assert_same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
