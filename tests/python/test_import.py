"""`import opweld`: cheap, harmless, and clear where it cannot help. No NPU is needed here."""

import os

ALONE = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}


def test_it_imports_neither_torch_nor_libraries(python):
    result = python("import sys, opweld; print('torch' in sys.modules, opweld.active_device())")
    assert result.stdout == "False None\n", result.stderr


def test_it_sets_the_environment_for_children_at_once(python):
    result = python("import os, opweld; print(os.path.isdir(os.environ['ASCEND_HOME_PATH']))")
    assert result.stdout == "True\n", result.stderr


def test_it_can_be_switched_off(python):
    code = "import os, opweld; print(os.environ.get('ASCEND_HOME_PATH'), opweld.active_device())"
    result = python(code, env=os.environ | {"OPWELD_AUTOLOAD": "0"})
    assert result.stdout == "None None\n", result.stderr


def test_finding_torch_does_not_load_the_libraries(python):
    code = "import importlib.util, opweld; importlib.util.find_spec('torch'); print(opweld.active_device())"
    assert python(code).stdout == "None\n"


def test_a_missing_software_npu_is_told_when_torch_is_imported(python, tmp_path):
    code = "import opweld; print('fine', flush=True); import torch"
    result = python(code, env=os.environ | {"OPWELD_CANN": str(tmp_path)})
    assert result.stdout == "fine\n"
    assert "ImportError: opweld: OPWELD_CANN is" in result.stderr


def test_activating_twice_is_fine_and_another_device_is_refused(python):
    code = """
import opweld
first = opweld.activate(devices=2)
assert opweld.activate(devices=2) == first
try:
    opweld.activate(devices=3)
except opweld.UsageError as error:
    print(error)
"""
    result = python(code)
    assert "is on software NPU, 2 x Ascend910B1 already and cannot change" in result.stdout, result.stderr


def test_a_name_that_does_not_exist(python):
    result = python("import opweld; opweld.nothing")
    assert "module 'opweld' has no attribute 'nothing'" in result.stderr


def test_importing_it_after_torch_alone_loads_the_libraries(python):
    result = python("import torch, opweld; print(opweld.active_device().describe())", env=ALONE)
    assert result.stdout == "software NPU, 1 x Ascend910B1\n", result.stderr
