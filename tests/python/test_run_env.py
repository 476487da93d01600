"""The four ways onto the software NPU, with the real torch and torch_npu, each in a process of its own."""

import os
import sys
from pathlib import Path

PROBE = "print(torch.npu.is_available(), torch.npu.device_count(), torch.npu.get_device_name(0))"


def test_under_opweld_run(opweld):
    result = opweld("run", "--", "python", "-c", f"import torch; {PROBE}")
    assert result.stdout == "True 1 Ascend910B1\n", result.stderr


def test_under_opweld_run_with_two_devices(opweld):
    result = opweld("run", "-n", "2", "--soc", "Ascend950PR", "--", "python", "-c", f"import torch; {PROBE}")
    assert result.stdout == "True 2 Ascend950PR\n", result.stderr


def test_by_import_in_one_process(python):
    code = f"""
import os, subprocess, sys
import opweld
import torch
{PROBE}
x = torch.arange(4.0).npu()
print((x + x).cpu().tolist())
print(opweld.active_device().describe())
child = "import torch; print(torch.npu.is_available())"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout.strip())
"""
    result = python(code)
    assert result.stdout.splitlines() == [
        "True 1 Ascend910B1",
        "[0.0, 2.0, 4.0, 6.0]",
        "software NPU, 1 x Ascend910B1",
        "True",
    ], result.stderr


def test_from_a_plain_shell_after_eval(python, opweld):
    import subprocess

    script = f'eval "$(opweld env)" && python -c "import torch; {PROBE}"'
    environ = os.environ | {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environ)
    assert result.stdout == "True 1 Ascend910B1\n", result.stderr
