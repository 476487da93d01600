"""Runs a file of torchair's tests/st on the software NPU, each test in a process of its own.

usage: torchair_st.py FILE JUNIT [NAME...]

The files expect what their own build makes in place of torch_npu and of CANN. Those of `WITHOUT_TORCH_NPU`
expect what torchair does where torch_npu is not installed, and run so. All get
- prototypes and functions of their test operators, in a vendor package that is compiled from `../packages`.
The others run on the real torch_npu and get
- a module _privateuse1_backend whose device is the NPU, which torch_npu has registered already;
- torch.npu itself where they would replace it by Python classes that compute nothing.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

from isolated import run_tests
from torchair_alone import import_torchair

PACKAGE = Path(__file__).resolve().parents[1] / "packages" / "torchair_st"
WITHOUT_TORCH_NPU = ("torchair_auto_converter_functional_st.py",)
INCLUDE = Path(__file__).resolve().parents[3] / "include"


def build_package(folder: Path) -> None:
    """Compiles the vendor package and puts it where the graph engine looks."""
    vendor = folder / "torchair_st"
    libraries = Path(os.environ["ASCEND_HOME_PATH"]) / "lib64"
    for source, library, needed in (
        ("prototypes.cpp", vendor / "op_proto" / "lib" / "libcust_opsproto.so", "graph"),
        ("functions.cpp", vendor / "op_api" / "lib" / "libcust_opapi.so", "nnopbase"),
    ):
        library.parent.mkdir(parents=True)
        command = [os.environ.get("CXX", "c++"), "-std=c++20", "-shared", "-fPIC", f"-I{INCLUDE}"]
        subprocess.run(
            [*command, str(PACKAGE / source), "-o", str(library), f"-L{libraries}", f"-l{needed}"], check=True
        )
    os.environ["ASCEND_CUSTOM_OPP_PATH"] = str(vendor)


def privateuse1_backend() -> types.ModuleType:
    """The device of torch_npu under the name of theirs."""
    import torch

    def default_generator(device: int) -> torch.Generator:
        torch.npu.init()
        return torch.npu.default_generators[device]

    module = types.ModuleType("_privateuse1_backend")
    vars(module).update(
        npu_device=lambda: torch.device("npu", 0),
        default_generator=default_generator,
        register_hook=lambda: None,
        register_generator=lambda: None,
    )
    return module


def keep_torch_npu() -> None:
    """torch_npu is the module of the device "npu", and stays it."""
    import torch

    register = torch._register_device_module

    def register_others(device: str, module: types.ModuleType) -> None:
        if device != "npu":
            register(device, module)

    torch._register_device_module = register_others
    importlib.import_module("torch._dynamo.trace_rules").get_torch_obj_rule_map()  # of the real torch_npu
    stubs = importlib.import_module("torchair_st_stub_aclgraph_utils")
    stubs.patch_ops_npu_module = lambda _: torch.ops.npu
    stubs.patch_torch_point_npu_module = lambda _: torch.npu
    stubs.patch_torch_npu_module = lambda _: sys.modules["torch_npu"]


def import_torch_npu() -> None:
    """torch_npu and torchair, with torch_npu's device for the file."""
    for module in ("torch", "torch_npu", "torchair"):
        importlib.import_module(module)
    sys.modules["_privateuse1_backend"] = privateuse1_backend()
    keep_torch_npu()


def main(arguments: list[str]) -> int:
    """Runs the tests of one file."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    file, junit, names = Path(arguments[0]), Path(arguments[1]), arguments[2:]
    with tempfile.TemporaryDirectory() as folder:
        build_package(Path(folder))
        os.chdir(folder)
        sys.path.insert(0, str(file.parent))
        held = import_torchair() if file.name in WITHOUT_TORCH_NPU else import_torch_npu()
        outcome = run_tests(lambda: importlib.import_module(file.stem), junit, names)
        del held  # the operators that the file uses
        return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
