"""What the doctor says of prototype libraries that cannot be loaded, or whose InferShape refuses calls."""

import os
import platform
import re
import subprocess

import pytest

from opweld.home import find_software_home

pytestmark = pytest.mark.npu

OPERATORS = """
import torch
import torch_npu
import torchair

library = torch.library.Library("prototyped", "DEF")
library.define("scale(Tensor x, *, float factor=1.0) -> Tensor")
library.impl("scale", lambda x, *, factor=1.0: x * factor, "PrivateUse1")
library.impl("scale", lambda x, *, factor=1.0: torch.empty_like(x), "Meta")
library.impl("scale", torch.library.fallthrough_kernel, "Autograd")


@torchair.register_fx_node_ge_converter(torch.ops.prototyped.scale.default)
def convert(x, *, factor=1.0, meta_outputs=None):
    attributes = {"factor": torchair.ge.attr.Float(factor)}
    return torchair.ge.custom_op("OpweldTestScale", inputs={"x": x}, attrs=attributes, outputs=["y"])
"""
# Refuses sizes that are not known before the graph runs.
PROTOTYPE = """
#include "graph/operator_reg.h"
namespace ge {
REG_OP(OpweldTestScale)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(factor, Float, 2.0)
    .OP_END_FACTORY_REG(OpweldTestScale)
IMPLEMT_COMMON_INFERFUNC(InferOpweldTestScale) {
    const TensorDesc x = op.GetInputDescByName("x");
    if (x.GetShape().GetDim(0) <= 0) {
        return GRAPH_FAILED;
    }
    return op.UpdateOutputDesc("y", x);
}
COMMON_INFER_FUNC_REG(OpweldTestScale, InferOpweldTestScale);
}
"""


@pytest.fixture
def package(tmp_path):
    """A module with an operator, and a vendor folder with a place for its prototype library."""
    (tmp_path / "prototyped.py").write_text(OPERATORS)
    folder = tmp_path / "vendor" / "op_proto" / "lib" / "linux" / platform.machine()
    folder.mkdir(parents=True)
    return tmp_path, folder / "libcust_opsproto.so"


def examine(opweld, folder):
    return opweld(
        "doctor",
        "prototyped::scale",
        "--import",
        "prototyped",
        cwd=folder,
        env=os.environ | {"ASCEND_CUSTOM_OPP_PATH": str(folder / "vendor"), "PYTHONPATH": str(folder)},
    ).stdout


def test_a_library_that_cannot_be_loaded(opweld, package):
    folder, library = package
    library.write_text("no library")
    told = examine(opweld, folder)
    assert re.search(r"error\[OW864\]: .*libcust_opsproto\.so", told), told


def test_infershape_that_refuses_open_sizes_and_another_default(opweld, package, root):
    folder, library = package
    (folder / "prototype.cpp").write_text(PROTOTYPE)
    home = find_software_home()
    assert home is not None
    link = [f"-L{home / 'lib64'}", "-lgraph", "-Wl,--allow-shlib-undefined"]
    command = ["g++", "-std=c++20", "-shared", "-fPIC", f"-I{root / 'include'}", "prototype.cpp"]
    subprocess.run([*command, "-o", library, *link], cwd=folder, check=True)
    told = examine(opweld, folder)
    assert "error[OW865]: prototyped::scale in a graph with open sizes: " in told, told
    assert "error[OW863]: OpweldTestScale has factor = 2.0 by default, prototyped::scale has 1.0" in told
