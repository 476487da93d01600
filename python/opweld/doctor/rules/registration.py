"""Rules of registration: who defines an operator, who implements it, and under which key."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Registration"

RULES = (
    Rule(
        "OW701",
        "namespace-claimed-twice",
        "error",
        FAMILY,
        "One TORCH_LIBRARY block (or Library(..., 'DEF')) owns a namespace; the process ends at the second "
        "one.",
        "Two files, or two packages, each open the namespace with TORCH_LIBRARY.",
        "Keep TORCH_LIBRARY in one place and write TORCH_LIBRARY_FRAGMENT (in Python 'FRAGMENT') in the "
        "others.",
        "cpp",
        'TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x) -> Tensor"); }\n'
        'TORCH_LIBRARY(my_ops, m) { m.def("shift(Tensor x) -> Tensor"); }',
        'TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x) -> Tensor"); }\n'
        'TORCH_LIBRARY_FRAGMENT(my_ops, m) { m.def("shift(Tensor x) -> Tensor"); }',
        mechanical=True,
    ),
    Rule(
        "OW702",
        "operator-defined-twice",
        "error",
        FAMILY,
        "An operator's schema is defined once; a second definition ends the process when its library is "
        "loaded.",
        "The same m.def in two files, or an operator that torch or torch_npu defines already.",
        "Remove one of the definitions, or give the operator another name or namespace.",
        "cpp",
        'm.def("scale(Tensor x) -> Tensor");\nm.def("scale(Tensor x) -> Tensor");',
        'm.def("scale(Tensor x) -> Tensor");',
    ),
    Rule(
        "OW703",
        "kernel-registered-twice",
        "error",
        FAMILY,
        "An operator has one kernel per dispatch key: a later one silently replaces the earlier one in "
        "C++, and "
        "is refused in Python.",
        "A registration was copied to another file and not removed here.",
        "Keep the registration that is meant.",
        "cpp",
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) {\n    m.impl("scale", scale_npu);\n'
        '    m.impl("scale", scale_npu_old);\n}',
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }',
    ),
    Rule(
        "OW704",
        "key-called-npu",
        "error",
        FAMILY,
        "In C++, the NPU's dispatch key is PrivateUse1; there is no key called NPU. (In Python, 'NPU' is an "
        "alias of it and right.)",
        "The device is called npu in Python, so NPU looks like the key's name.",
        "Write PrivateUse1, and AutogradPrivateUse1 for its autograd kernels.",
        "cpp",
        'TORCH_LIBRARY_IMPL(my_ops, NPU, m) { m.impl("scale", scale_npu); }',
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }',
        mechanical=True,
    ),
    Rule(
        "OW705",
        "kernel-of-undefined-operator",
        "error",
        FAMILY,
        "A kernel is registered for an operator that a schema defines.",
        "The names in m.def and m.impl differ by a typing error, or the definition's library is not loaded.",
        "Write the same name in both places, or define the operator.",
        "cpp",
        'TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x) -> Tensor"); }\n'
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scales", scale_npu); }',
        'TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x) -> Tensor"); }\n'
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }',
    ),
    Rule(
        "OW706",
        "no-npu-kernel",
        "error",
        FAMILY,
        "An operator has a kernel for PrivateUse1, or one that serves every device (a Composite key).",
        "Only the schema was written, or the kernel is registered for another device, or its library is not "
        "loaded.",
        "Register a kernel under PrivateUse1, or load the library that does.",
        "cpp",
        'TORCH_LIBRARY(my_ops, m) { m.def("scale(Tensor x) -> Tensor"); }\n'
        'TORCH_LIBRARY_IMPL(my_ops, CPU, m) { m.impl("scale", scale_cpu); }',
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }',
    ),
    Rule(
        "OW707",
        "kernel-unlike-schema",
        "error",
        FAMILY,
        "A C++ kernel takes and returns exactly what the schema says: loading the library fails otherwise.",
        "int or float instead of int64_t or double, a Tensor for a Tensor?, or an argument that was added "
        "to one "
        "of the two only.",
        "Give the function the types that the message names.",
        "cpp",
        'm.def("scale(Tensor x, float factor) -> Tensor");\n'
        "at::Tensor scale_npu(const at::Tensor& x, float factor);",
        'm.def("scale(Tensor x, float factor) -> Tensor");\n'
        "at::Tensor scale_npu(const at::Tensor& x, double factor);",
    ),
    Rule(
        "OW708",
        "schema-syntax",
        "error",
        FAMILY,
        "A schema is written in PyTorch's schema language: name(Type argument=default, *, ...) -> Type.",
        "C++ types (int64_t, std::string, at::Tensor) instead of the schema's, a missing arrow, or a "
        "bracket that "
        "is not closed.",
        "Mend the schema: int, float, bool, str, Scalar, Tensor, with ? for optional and [] for lists.",
        "cpp",
        'm.def("scale(Tensor x, double factor) -> Tensor");',
        'm.def("scale(Tensor x, float factor) -> Tensor");',
    ),
    Rule(
        "OW709",
        "backend-key-for-composite",
        "warning",
        FAMILY,
        "A function that only calls other operators is registered under CompositeImplicitAutograd: then it "
        "works "
        "on every device and is differentiable by its parts.",
        "It was registered under PrivateUse1 because it was written for the NPU; then the gradient is "
        "lost, and "
        "other devices and Meta have no kernel.",
        "Register it under CompositeImplicitAutograd and for no backend.",
        "cpp",
        "at::Tensor scale(const at::Tensor& x) { return at::mul(x, 2); }\n"
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale); }',
        "at::Tensor scale(const at::Tensor& x) { return at::mul(x, 2); }\n"
        'TORCH_LIBRARY_IMPL(my_ops, CompositeImplicitAutograd, m) { m.impl("scale", scale); }',
    ),
    Rule(
        "OW710",
        "composite-and-backend",
        "error",
        FAMILY,
        "An operator under CompositeImplicitAutograd has no kernel for a backend besides it, unless it has "
        "an "
        "autograd kernel, too.",
        "A fast kernel for the NPU was added later. On the NPU it takes the place of the differentiable "
        "function, "
        "and the gradient is lost there without an error.",
        "Register an autograd kernel (AutogradPrivateUse1), or take CompositeExplicitAutograd for the "
        "general "
        "function.",
        "cpp",
        'TORCH_LIBRARY_IMPL(my_ops, CompositeImplicitAutograd, m) { m.impl("scale", scale); }\n'
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }',
        'TORCH_LIBRARY_IMPL(my_ops, CompositeExplicitAutograd, m) { m.impl("scale", scale); }\n'
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }\n'
        'TORCH_LIBRARY_IMPL(my_ops, AutogradPrivateUse1, m) { m.impl("scale", scale_autograd); }',
    ),
    Rule(
        "OW711",
        "library-not-loaded",
        "error",
        FAMILY,
        "The Python package loads the library that registers its operators.",
        "torch.ops.load_library (or the import of the extension module) is missing: torch.ops.<namespace> "
        "then "
        "has no such operator.",
        "Call torch.ops.load_library(path) in the package's __init__.py, before the first use.",
        "python",
        "import torch\n\ndef scale(x):\n    return torch.ops.my_ops.scale(x)",
        "import torch\nfrom pathlib import Path\n\n"
        'torch.ops.load_library(Path(__file__).with_name("libmy_ops.so"))\n\n'
        "def scale(x):\n    return torch.ops.my_ops.scale(x)",
    ),
    Rule(
        "OW712",
        "call-of-undefined-operator",
        "error",
        FAMILY,
        "An operator that Python calls is one that the package defines.",
        "The name differs between Python and the schema.",
        "Write the name of the schema.",
        "python",
        'torch.ops.my_ops.scales(x)  # m.def("scale(Tensor x) -> Tensor")',
        "torch.ops.my_ops.scale(x)",
    ),
    Rule(
        "OW713",
        "yaml-without-function",
        "error",
        FAMILY,
        "An operator in op-plugin's YAML has a C++ function of the same name in op_api (or acl_op).",
        "The function is called otherwise than the YAML's func.",
        "Give the function the name of the YAML's func, or mend the YAML.",
        "yaml",
        "custom:\n  - func: npu_scale(Tensor x) -> Tensor   # C++: at::Tensor npu_scales(...)\n    op_api: "
        "all_version",
        "custom:\n  - func: npu_scale(Tensor x) -> Tensor   # C++: at::Tensor npu_scale(...)\n    op_api: "
        "all_version",
    ),
    Rule(
        "OW714",
        "operator-yaml",
        "error",
        FAMILY,
        "An operator YAML in op-plugin's form is well-formed: lists of entries with func, each with a "
        "schema.",
        "A line is indented otherwise than its neighbours, or func is missing.",
        "Mend the line.",
        "yaml",
        "custom:\n  - fun: npu_scale(Tensor x) -> Tensor",
        "custom:\n  - func: npu_scale(Tensor x) -> Tensor",
    ),
    Rule(
        "OW715",
        "dtype-unlike-soc",
        "error",
        FAMILY,
        "The dtypes of an operator are ones that the SoC has.",
        "The list was written for another SoC: bfloat16 exists since Ascend910B, the 8-bit floats since "
        "Ascend950.",
        "Remove the dtype for this SoC, or build for another (`--soc`).",
        "yaml",
        "    input_desc: [{name: x, type: [float16, float8_e4m3fn]}]   # on Ascend910B1",
        "    input_desc: [{name: x, type: [float16, bfloat16]}]",
    ),
    Rule(
        "OW716",
        "mutation-not-declared",
        "error",
        FAMILY,
        "An argument that an operator writes to is marked in its schema: Tensor(a!).",
        "The operator's name ends in _ or its kernel takes Tensor&, but the schema says plain Tensor. "
        "torch.compile then reorders or drops the call.",
        "Write Tensor(a!) for the argument (and for the result that aliases it).",
        "cpp",
        'm.def("scale_(Tensor x) -> Tensor");',
        'm.def("scale_(Tensor(a!) x) -> Tensor(a!)");',
    ),
    Rule(
        "OW717",
        "unknown-dispatch-key",
        "error",
        FAMILY,
        "A dispatch key is one that PyTorch has.",
        "A typing error, or a device's name.",
        "For the NPU write PrivateUse1; others are CPU, Meta, AutogradPrivateUse1, "
        "CompositeImplicitAutograd ...",
        "python",
        'library.impl("scale", scale, "Ascend")',
        'library.impl("scale", scale, "PrivateUse1")',
        mechanical=True,
    ),
    Rule(
        "OW718",
        "device-kernel-as-composite",
        "error",
        FAMILY,
        "A function that calls an aclnn function is registered under PrivateUse1.",
        "m.def(schema, function) and CompositeImplicitAutograd register it for all devices: tensors of the "
        "CPU "
        "and of Meta get into it, and autograd cannot see through it.",
        "Give m.def the schema only, and register the function under PrivateUse1.",
        "cpp",
        'm.def("scale(Tensor x) -> Tensor", scale_npu);',
        'm.def("scale(Tensor x) -> Tensor");\n'
        'TORCH_LIBRARY_IMPL(my_ops, PrivateUse1, m) { m.impl("scale", scale_npu); }',
    ),
    Rule(
        "OW719",
        "library-ends-process",
        "error",
        FAMILY,
        "A library can be loaded into a process that has torch and torch_npu.",
        "It defines something that exists already, or needs a symbol that this torch does not have.",
        "Mend what the loader's message says; build it against the installed torch.",
    ),
    Rule(
        "OW720",
        "operator-not-registered",
        "error",
        FAMILY,
        "The operator exists in the dispatcher once its package is imported.",
        "A typing error, or the package that registers it was not imported.",
        "Name the operator as its schema does; `--import MODULE` imports a package first.",
    ),
    Rule(
        "OW721",
        "source-syntax",
        "error",
        FAMILY,
        "A Python source can be parsed.",
        "A bracket is not closed, or the file is for another version of Python.",
        "Mend the line.",
        "python",
        "def scale(x:\n    return x",
        "def scale(x):\n    return x",
    ),
    Rule(
        "OW722",
        "schema-unlike-yaml",
        "error",
        FAMILY,
        "The schema of an operator is the same in YAML, C++ and Python.",
        "One of the places was changed and the other was not.",
        "Make them equal.",
        "yaml",
        'custom:\n  - func: npu_scale(Tensor x, float factor) -> Tensor   # C++: m.def("npu_scale(Tensor '
        'x) -> Tensor")',
        'custom:\n  - func: npu_scale(Tensor x) -> Tensor                 # C++: m.def("npu_scale(Tensor '
        'x) -> Tensor")',
    ),
    Rule(
        "OW723",
        "module-name",
        "error",
        FAMILY,
        "The name in PYBIND11_MODULE is the one under which the module is built and imported.",
        "The name was written by hand and the build's was changed. The import then says: dynamic module does "
        "not define module export function (PyInit_...).",
        "Write TORCH_EXTENSION_NAME, which torch's builders replace by the right name; else the file's name "
        "up to its first dot.",
        "cpp",
        'PYBIND11_MODULE(my_lib, m) {}              // setup.py: NpuExtension("custom_ops", ...)',
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}",
        mechanical=True,
    ),
    Rule(
        "OW724",
        "module-attribute",
        "error",
        FAMILY,
        "What Python takes from an extension module was bound to it with m.def.",
        "A typing error, or an operator: TORCH_LIBRARY puts operators under torch.ops, not into the module.",
        "Use the name that m.def gives; call operators as torch.ops.namespace.name.",
        "python",
        'import custom_ops\ncustom_ops.scael(x)          # m.def("scale", &scale)',
        "import custom_ops\ncustom_ops.scale(x)",
    ),
    Rule(
        "OW725",
        "module-not-made",
        "error",
        FAMILY,
        "What Python imports as an extension module has the function PyInit_NAME, which makes the module.",
        "The library only registers operators with TORCH_LIBRARY; or the file with PYBIND11_MODULE was left "
        "out of the sources. The import then says: dynamic module does not define module export function "
        "(PyInit_...).",
        "Load a library that only registers operators with torch.ops.load_library; or add "
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {} to its sources.",
        "python",
        "from my_ops import _C          # only TORCH_LIBRARY blocks in its sources",
        'import importlib.util\ntorch.ops.load_library(importlib.util.find_spec("my_ops._C").origin)',
    ),
)
