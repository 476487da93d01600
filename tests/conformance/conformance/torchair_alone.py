"""The installed torchair without torch_npu, which decides by `sys.modules` whether tensors are on a device.

torchair lies inside torch_npu and asks at import for the operators that torch_npu registers. So they are
declared here, from what torch_npu says of them in a process of its own, and have no kernels.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

NAMESPACE = "npu::"
_PRINT_SCHEMAS = """
import sys
print_ = sys.stdout.write
sys.stdout = sys.stderr
import torch, torch_npu
for schema in torch._C._jit_get_all_schemas():
    print_(f"{schema}\\n")
"""


class _Absent(importlib.abc.MetaPathFinder):
    """torch_npu is not there for whoever imports it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.split(".")[0] == "torch_npu":
            raise ModuleNotFoundError(f"{name} is left out: this file runs torchair alone", name=name)
        return None


def _schemas() -> list[str]:
    """torch_npu's operators: "name(arguments) -> results"."""
    process = subprocess.run(
        [sys.executable, "-c", _PRINT_SCHEMAS], check=True, text=True, stdout=subprocess.PIPE
    )
    found = [line for line in process.stdout.splitlines() if line.startswith(NAMESPACE)]
    if not found:
        raise RuntimeError(f"torch_npu registers no operators whose name begins with {NAMESPACE}")
    return [line.removeprefix(NAMESPACE) for line in found]


def import_torchair() -> object:
    """Imports the installed torchair without torch_npu. Keep what it returns: the operators live as long."""
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    import torch

    spec = importlib.util.find_spec("torch_npu")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("torch_npu is not installed, and torchair lies in it", name="torch_npu")
    operators = torch.library.Library(NAMESPACE.rstrip(":"), "FRAGMENT")
    for schema in _schemas():
        operators.define(schema)
    sys.meta_path.insert(0, _Absent())
    sys.path.insert(0, str(Path(spec.origin).parent / "dynamo"))
    importlib.import_module("torchair")
    return operators
