"""Extension modules made with pybind, C headers of vendor packages, and names of libraries in Python."""

import pytest

from opweld import vendor
from opweld.doctor.examine import examine_sources
from opweld.doctor.functions import Functions, find_functions

NO_CANN = Functions(False, "libopapi.so")
SETUP = """
from setuptools import setup
from torch_npu.utils.cpp_extension import NpuExtension
setup(name="my_ops", ext_modules=[NpuExtension(name="my_ops._C", sources=["csrc/ops.cpp"])])
"""
OPERATORS = """
#include <torch/extension.h>
TORCH_LIBRARY(my_ops, m) { m.def("double_it(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("double_it", double_it); }
TORCH_LIBRARY_IMPL(my_ops, Meta, m) { m.impl("double_it", double_it_meta); }
TORCH_LIBRARY_IMPL(my_ops, AutogradPrivateUse1, m) { m.impl("double_it", double_it_autograd); }
"""
MODULE = (
    'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.doc() = "My operators"; m.def("scale", &scale); BODY }\n'
)


def findings(folder, python: str, module: str = MODULE, body: str = "", setup: str = SETUP):
    (folder / "csrc").mkdir()
    (folder / "csrc" / "ops.cpp").write_text(OPERATORS + module.replace("BODY", body))
    (folder / "setup.py").write_text(setup)
    (folder / "program.py").write_text(f"import torch\n{python}\n")
    return [(item.rule_id, item.message) for item in examine_sources(folder, functions=NO_CANN)]


@pytest.mark.parametrize(
    "python",
    [
        "from my_ops import _C\n_C.scale(x)",
        "import my_ops._C\nmy_ops._C.scale(x)\nmy_ops._C.__doc__",
        "import my_ops._C as lib\nlib.scale(x)",
        "from my_ops._C import scale",
        "from my_ops._C import *",
        "from my_ops import _C\n_C = pick()\n_C.anything(x)",
        "from others import _C\n_C.anything(x)",
        "import my_ops._C\ntorch.ops.my_ops.double_it(x)",
    ],
)
def test_what_the_module_has(tmp_path, python):
    assert findings(tmp_path, python) == []


@pytest.mark.parametrize(
    ("python", "told"),
    [
        ("from my_ops import _C\n_C.scael(x)", "did you mean 'scale'?"),
        ("import my_ops._C as lib\nlib.scales(x)", "did you mean 'scale'?"),
        ("from my_ops._C import scael", "did you mean 'scale'?"),
        ("from my_ops import _C\n_C.double_it(x)", "my_ops::double_it is an operator"),
    ],
)
def test_what_the_module_does_not_have(tmp_path, python, told):
    [(rule, message)] = findings(tmp_path, python)
    assert rule == "OW724"
    assert told in message


@pytest.mark.parametrize(
    "body",
    [
        'm.attr("scael") = 1;',
        'py::class_<Scaler>(m, "scael");',
        'm.def("other", &other).def("scael", &scael);',
        'py::class_<Scaler> scaler(m, "scael");',
        "bind_more(m);",
        "for (const char* name : NAMES) m.def(name, &scale);",
        'auto sub = m.def_submodule("scael");',
    ],
)
def test_what_else_may_be_put_into_a_module(tmp_path, body):
    assert findings(tmp_path, "from my_ops import _C\n_C.scael(x)", body=body) == []


@pytest.mark.parametrize("name", ["TORCH_EXTENSION_NAME", "_C"])
def test_the_name_of_a_module(tmp_path, name):
    module = MODULE.replace("TORCH_EXTENSION_NAME", name)
    assert findings(tmp_path, "", module) == []


def test_another_name_than_the_build_has(tmp_path):
    [(rule, message)] = findings(tmp_path, "", MODULE.replace("TORCH_EXTENSION_NAME", "my_ops"))
    assert rule == "OW723"
    assert "PyInit__C" in message


@pytest.mark.parametrize(
    "python", ["from my_ops import _C", "import my_ops._C as lib", "from my_ops._C import scale"]
)
def test_an_import_of_what_no_source_makes_a_module_of(tmp_path, python):
    [(rule, message)] = findings(tmp_path, python, module="")
    assert rule == "OW725"
    assert "csrc/ops.cpp has no PyInit__C, which the import of my_ops._C looks for" in message


@pytest.mark.parametrize(
    ("python", "module"),
    [
        ("torch.ops.load_library(find('my_ops._C'))", ""),
        ("try:\n    from my_ops import _C\nexcept ImportError:\n    _C = None", ""),
        ("from others import _C", ""),
        ("import my_ops", ""),
        ("from my_ops import _C", "PyMODINIT_FUNC PyInit__C() { return PyModule_Create(&described); }"),
        ("from my_ops import _C", "REGISTER_EXTENSION(_C)"),
        ("from my_ops import _C", "NB_MODULE(_C, m) {}"),
    ],
)
def test_libraries_that_are_only_loaded_or_made_a_module_of(tmp_path, python, module):
    assert findings(tmp_path, python, module=module) == []


def test_sources_that_are_not_all_here_may_make_the_module(tmp_path):
    setup = SETUP.replace('"csrc/ops.cpp"', '"csrc/ops.cpp", "csrc/generated.cpp"')
    assert findings(tmp_path, "from my_ops import _C", module="", setup=setup) == []


def test_sources_that_are_listed_elsewhere_tell_nothing_of_the_name(tmp_path):
    two = SETUP.replace("[NpuExtension(", "[NpuExtension(name='other', sources=FILES), NpuExtension(")
    module = MODULE.replace("TORCH_EXTENSION_NAME", "my_ops")
    assert findings(tmp_path, "", module, setup=two.replace('["csrc/ops.cpp"]', "MORE")) == []


@pytest.mark.parametrize(
    ("python", "told"),
    [
        ("torch.ops.my_op.double_it(x)", "did you mean my_ops::double_it?"),
        ("torch.ops.my_ops.scale(x)", "binds it with pybind"),
    ],
)
def test_operators_under_another_library_or_bound_only(tmp_path, python, told):
    [(rule, message)] = findings(tmp_path, f"from my_ops import _C\n{python}")
    assert rule == "OW712"
    assert told in message


def test_arguments_are_compared_with_the_headers_of_a_vendor_package(tmp_path, monkeypatch):
    folder = tmp_path / "vendors" / "faulty"
    library = folder / vendor.LIBRARY
    library.parent.mkdir(parents=True)
    library.write_bytes(b"")
    (library.parents[1] / "include").mkdir()
    (library.parents[1] / "include" / "aclnn_faulty.h").write_text(
        'extern "C" aclnnStatus aclnnFaultyGetWorkspaceSize(const aclTensor* x, double factor,\n'
        "    aclTensor* y, uint64_t* size, aclOpExecutor** executor);\n"
        'extern "C" aclnnStatus aclnnFaulty(void* space, uint64_t size, aclOpExecutor* executor,\n'
        "    aclrtStream stream);\n"
    )
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(folder))
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "ops.cpp").write_text(
        "void right(at::Tensor x, double f, at::Tensor y) { EXEC_NPU_CMD_EXT(aclnnFaulty, x, f, y); }\n"
        "void fewer(at::Tensor x, at::Tensor y) { EXEC_NPU_CMD_EXT(aclnnFaulty, x, y); }\n"
        "void swapped(at::Tensor x, double f, at::Tensor y) { EXEC_NPU_CMD_EXT(aclnnFaulty, f, x, y); }\n"
    )
    found = [
        item for item in examine_sources(sources, functions=find_functions([])) if item.rule_id == "OW903"
    ]
    assert [item.place.line for item in found] == [2, 3]
