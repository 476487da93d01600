// The Python package: __init__.py, its stub, the loader of the libraries.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/generators.h"
#include "codegen/graph_operator.h"
#include "codegen/kernel_call.h"
#include "codegen/python_types.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

std::string dtypes_text(const spec::TypeSet& types) {
    std::vector<std::string> names;
    for (const spec::DType dtype : types.dtypes) {
        names.emplace_back(spec::name(dtype));
    }
    if (names.size() > 1) {
        const std::string last = names.back();
        names.pop_back();
        return join(names) + " or " + last;
    }
    return join(names);
}

std::string argument_doc(const Parameter& parameter) {
    if (parameter.input != nullptr) {
        const spec::InputDesc& input = *parameter.input;
        std::string text = input.doc;
        const std::string types = dtypes_text(input.types);
        text += (text.empty() || types.empty() ? "" : "; ") + types;
        text += input.mutates ? (text.empty() ? "written into" : "; written into") : "";
        return text;
    }
    return parameter.attr->doc;
}

std::string docstring(const OperatorPlan& plan) {
    const std::string first =
        plan.op->doc.empty() ? fmt::format("The operator {}.", plan.qualified) : plan.op->doc;
    std::string arguments;
    for (const Parameter& parameter : plan.parameters) {
        const std::string text = argument_doc(parameter);
        if (!text.empty()) {
            const std::string& name =
                parameter.input != nullptr ? parameter.input->name : parameter.attr->name;
            arguments += fmt::format("    {}: {}\n", name, text);
        }
    }
    std::string rules;
    for (const spec::Constraint& constraint : plan.op->constraints) {
        rules += fmt::format("    - {}\n", constraint.message);
    }
    std::string text = first;
    text += arguments.empty() ? "" : "\n\nArgs:\n" + arguments;
    if (!rules.empty()) {
        text += std::string(arguments.empty() ? "\n" : "") +
                "\nRaises RuntimeError, where a rule is broken, with one of:\n" + rules;
    }
    const bool raw = text.find('\\') != std::string::npos || text.find("\"\"\"") != std::string::npos;
    std::string safe;
    for (const char c : text) {
        safe += raw && (c == '\\' || c == '"') ? std::string("\\") + c : std::string(1, c);
    }
    return safe.find('\n') == std::string::npos
               ? fmt::format("\"\"\"{}\"\"\"", safe)
               : fmt::format("\"\"\"{}\"\"\"", safe.ends_with('\n') ? safe : safe + "\n");
}

std::string function(const OperatorPlan& plan) {
    return fmt::format("def {}{}:\n{}    {}{}({})\n", plan.name, python_signature(plan),
                       indent(docstring(plan) + "\n"), plan.outputs.empty() ? "" : "return ",
                       "_operators." + plan.name, python_call(plan));
}

bool uses_sequences(const PackagePlan& plan) {
    return std::any_of(plan.ops.begin(), plan.ops.end(), [](const OperatorPlan& op) {
        return python_signature(op).find("Sequence[") != std::string::npos;
    });
}

// Operators that only the package's own vendor library makes run on an NPU.
bool needs_vendor(const PackagePlan& plan) {
    return plan.options.target == Target::Software &&
           std::any_of(plan.ops.begin(), plan.ops.end(),
                       [](const OperatorPlan& op) { return op.calls_own_function && op.compose == nullptr; });
}

// The part of the loader that tells FakeTensor of outputs whose sizes are known only after the operator ran.
std::string fakes(const PackagePlan& plan) {
    std::string table;
    for (const OperatorPlan& op : plan.ops) {
        if (!op.has_fake()) {
            continue;
        }
        std::string flags;
        for (const spec::OutputDesc& output : op.op->outputs) {
            flags += is_data_dependent(output) ? "True, " : "False, ";
        }
        table += fmt::format("    {}: (torch.ops.{}.{}.{}, ({})),\n", python_string(op.qualified), op.op->ns,
                             op.op->name + "_largest", op.op->overload.empty() ? "default" : op.op->overload,
                             flags.substr(0, flags.size() - (op.outputs.size() == 1 ? 1 : 2)));
    }
    return table.empty() ? ""
                         : fill(R"py(

def _register_fakes() -> None:
    """Says what is known of outputs whose sizes depend on values: torch.compile and torch.export go on from there."""
    for name, (largest, dependent) in _data_dependent().items():
        torch.library.register_fake(name, _fake(largest, dependent), allow_override=True)


def _data_dependent() -> dict[str, tuple[torch._ops.OpOverload, tuple[bool, ...]]]:
    """The operators: what gives their outputs with the largest sizes, and which outputs are no larger than that."""
    return {
@table@
    }


def _fake(largest: torch._ops.OpOverload, dependent: tuple[bool, ...]) -> Callable[..., Any]:
    def fake(*args: Any, **kwargs: Any) -> Any:
        context = torch.library.get_ctx()
        made = largest(*args, **kwargs)
        outputs = made if len(dependent) > 1 else (made,)
        cut = tuple(
            _of_unknown_size(output, context) if is_dependent else output
            for output, is_dependent in zip(outputs, dependent, strict=True)
        )
        return cut if len(dependent) > 1 else cut[0]

    return fake


def _of_unknown_size(largest: Any, context: Any) -> Any:
    if isinstance(largest, list):
        return [_of_unknown_size(item, context) for item in largest]
    # A bound that is itself symbolic, or too small to matter, is left out.
    bounds = [size if isinstance(size, int) and size > 2 else None for size in largest.shape]
    return largest.new_empty([context.new_dynamic_size(min=0, max=bound) for bound in bounds])
)py",
                                {{"table", indent(table)}});
}

// The part of the loader that waits for torchair.
std::string converter_loading(const PackagePlan& plan) {
    return fill(R"py(

# torchair, inside torch_npu and by itself.
TORCHAIR = ("torch_npu.dynamo.torchair", "torchair")


def _register_converters() -> None:
    """Tells torchair of the operators: now if it is there, else when it is imported, as it takes seconds to import."""
    # torch_npu puts an object in the place of the second, which imports torchair when it is asked for anything.
    if TORCHAIR[0] in sys.modules or type(sys.modules.get(TORCHAIR[1])) is ModuleType:
        importlib.import_module("@package@.converters")
    else:
        sys.meta_path.insert(0, _AfterTorchair())


class _AfterTorchair(importlib.abc.MetaPathFinder):
    """Finds torchair as the other finders do, and has the converters imported after it."""

    def find_spec(self, fullname, path, target=None):  # type: ignore[no-untyped-def]
        if fullname not in TORCHAIR:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_both(module):  # type: ignore[no-untyped-def]
                execute(module)
                importlib.import_module("@package@.converters")

            spec.loader.exec_module = execute_both  # type: ignore[method-assign]
        return spec
)py",
                {{"package", plan.package->name}});
}

// The part of the loader that tells tracing of operators which graphs do not get.
std::string decompositions(const PackagePlan& plan) {
    std::string rows;
    for (const OperatorPlan& op : plan.ops) {
        if (decomposes(op)) {
            rows += python_operator(op) + ",\n";
        }
    }
    return rows.empty() ? ""
                        : fill(R"py(

def _register_decompositions() -> None:
    """Graphs get the formulas of these operators, in PyTorch's own operators."""
    for operator in (
        @rows@
    ):
        torch.library.register_torch_dispatch(operator, ProxyTorchDispatchMode, functools.partial(_formula, operator))


def _formula(operator, mode, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
    with mode:
        return operator._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **(kwargs or {}))
)py",
                               {{"rows", rows}});
}

SourceFile loader(const PackagePlan& plan) {
    const std::string fake_functions = fakes(plan);
    const std::string decomposed = decompositions(plan);
    const bool has_converters = !converters(plan).empty();
    std::string operators;
    std::string functions;
    std::string own_functions;
    for (const OperatorPlan& op : plan.ops) {
        const std::string own = fmt::format("    {},\n", python_string(op.aclnn_function));
        if (op.calls_own_function && own_functions.find(own) == std::string::npos) {
            own_functions += own;
        }
        operators += fmt::format("    ({}, {}),\n", python_string(op.op->ns + "::" + op.op->name),
                                 python_string(op.op->overload));
        if (op.has_fake()) {
            operators +=
                fmt::format("    ({}, {}),\n", python_string(op.op->ns + "::" + op.op->name + "_largest"),
                            python_string(op.op->overload));
        }
        if (op.returns_mutated()) {
            operators += fmt::format("    ({}, {}),\n", python_string(op.op->ns + "::" + functional_name(op)),
                                     python_string(op.op->overload));
        }
        functions += fmt::format("    {}: {},\n", python_string(op.qualified),
                                 op.aclnn_function.empty() ? "None" : python_string(op.aclnn_function));
    }
    return {"python/" + plan.package->name + "/_loader.py",
            fill(R"py(@banner@
"""Loads the package's libraries, after checking what would make them fail."""

from __future__ import annotations

@functools@
@importlib@
import os
import sys
@callable@
from pathlib import Path
@module_type@
@any@

import torch
@proxy@

from @package@ import _build_info

FOLDER = Path(__file__).resolve().parent
VENDOR_FOLDER = FOLDER / "vendors" / "@package@"
VENDOR_LIBRARY = VENDOR_FOLDER / "op_api" / "lib" / "libcust_opapi.so"
LIBRARY = FOLDER / "lib" / "lib@package@.so"
NPU_LIBRARY = FOLDER / "lib" / "lib@package@_npu.so"
# Whether the operators need the vendor library on an NPU: there is no other kernel for one of them.
NEEDS_VENDOR_LIBRARY = @needs_vendor@
OPERATORS = (
@operators@
)
# The aclnn function that each operator calls on an NPU; None: PyTorch's own operators do the work.
ACLNN_FUNCTIONS: dict[str, str | None] = {
@functions@
}
# Those that the package's own vendor library has.
OWN_FUNCTIONS: tuple[str, ...] = (
@own@
)


def load() -> None:
    """Registers the operators; with torch_npu in the process, their NPU kernels too. Raises ImportError."""
    if str(LIBRARY) in torch.ops.loaded_libraries:
        return
    _check_torch()
    if _build_info.HAS_VENDOR_LIBRARY and not VENDOR_LIBRARY.is_file():
        raise ImportError(f"@package@ is not installed completely: {VENDOR_LIBRARY} is missing; install it again")
    _check_names()
    torch.ops.load_library(str(LIBRARY))
@register_fakes@
@register_decompositions@
@register_converters@
    if "torch_npu" in sys.modules:
        load_npu_kernels()


def load_npu_kernels() -> None:
    """Registers the NPU kernels. Needs torch_npu; import @package@ does it where torch_npu is there already."""
    if str(NPU_LIBRARY) in torch.ops.loaded_libraries:
        return
    if not NPU_LIBRARY.is_file():
        raise ImportError(
            "@package@ was built where torch_npu was not installed, so it has no NPU kernels: build it again"
        )
    folders = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep)
    if NEEDS_VENDOR_LIBRARY and str(VENDOR_FOLDER) not in [os.path.realpath(folder) for folder in folders if folder]:
        raise ImportError(
            f"torch_npu does not know the operators of @package@: {VENDOR_FOLDER} is not in "
            "ASCEND_CUSTOM_OPP_PATH, which torch_npu reads when it is loaded. Start Python with `opweld run -- python`, "
            "or `import opweld` before torch, or set the variable"
        )
    _check_functions([folder for folder in folders if folder])
    torch.ops.load_library(str(NPU_LIBRARY))


def _check_functions(folders: list[str]) -> None:
    """torch_npu takes an aclnn function from the first library on its path that has it, whoever calls it."""
    for folder in folders:
        if os.path.realpath(folder) == str(VENDOR_FOLDER):
            return
        library = Path(folder) / "op_api" / "lib" / "libcust_opapi.so"
        names = library.read_bytes() if library.is_file() else b""
        for function in OWN_FUNCTIONS:
            if f"\0{function}GetWorkspaceSize\0".encode() in names:
                raise ImportError(
                    f"@package@ has {function}, and so has {library}, which torch_npu searches first: on the NPU the "
                    "operator would run the other package's kernel; give it another 'ge_op' in one of the two specs, "
                    "or uninstall one package"
                )


def _check_torch() -> None:
    built_for = _build_info.TORCH_VERSION
    if torch.__version__.split("+")[0] != built_for.split("+")[0]:
        raise ImportError(
            f"@package@ was built for torch {built_for}, but this is torch {torch.__version__}: build it again"
        )


def _check_names() -> None:
    """A second definition of an operator's name in C++ would end the process."""
    for name, overload in OPERATORS:
        existing = [schema for schema in torch._C._jit_get_schemas_for_operator(name) if schema.overload_name == overload]
        if existing:
            raise ImportError(
                f"@package@ defines {name}, which this process has already ({existing[0]}): another package with the "
                "same operator was imported; rename the operator in one of the two specs"
            )
@decompositions@
@converters@
@fakes@
)py",
                 {{"banner", banner(plan, "#")},
                  {"package", plan.package->name},
                  {"needs_vendor", needs_vendor(plan) ? "True" : "False"},
                  {"operators", operators},
                  {"functions", functions},
                  {"own", own_functions},
                  {"callable", fake_functions.empty() ? "" : "from collections.abc import Callable"},
                  {"module_type", has_converters ? "from types import ModuleType" : ""},
                  {"any", fake_functions.empty() ? "" : "from typing import Any"},
                  {"register_converters", has_converters ? "    _register_converters()" : ""},
                  {"converters", has_converters ? converter_loading(plan) : ""},
                  {"importlib",
                   has_converters ? "import importlib\nimport importlib.abc\nimport importlib.util" : ""},
                  {"proxy", decomposed.empty()
                                ? ""
                                : "from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode"},
                  {"functools", decomposed.empty() ? "" : "import functools"},
                  {"register_decompositions", decomposed.empty() ? "" : "    _register_decompositions()"},
                  {"decompositions", decomposed},
                  {"register_fakes", fake_functions.empty() ? "" : "    _register_fakes()"},
                  {"fakes", fake_functions}})};
}

}  // namespace

std::vector<SourceFile> python_package(const PackagePlan& plan) {
    const std::string& package = plan.package->name;
    std::string functions;
    std::string stubs;
    std::string operators;
    std::vector<std::string> names;
    for (const OperatorPlan& op : plan.ops) {
        functions += "\n\n" + function(op);
        stubs += fmt::format("def {}{}: ...\n", op.name, python_signature(op));
        operators += fmt::format("    {} = {}\n", op.name, python_operator(op));
        names.push_back(python_string(op.name));
    }
    names.push_back(python_string("VENDOR_FOLDER"));
    names.push_back(python_string("load_npu_kernels"));
    std::sort(names.begin(), names.end());
    const std::string doc =
        plan.package->doc.empty() ? fmt::format("The operators of {}.", package) : plan.package->doc;
    const std::string sequences = uses_sequences(plan) ? "from collections.abc import Sequence\n" : "";
    const std::string init = fill(R"py(@banner@
"""@doc@"""

from __future__ import annotations

@sequences@
try:
    import torch
except (ImportError, RuntimeError) as error:
    if "torch_npu" not in str(error) or "cannot open shared object" not in f"{error} {error.__cause__}":
        raise
    raise ImportError(
        "@package@ needs torch, which could not load torch_npu: this process was not told where CANN is. "
        "Start it with `opweld run -- python ...`, or `import opweld` first; "
        "to work without an NPU set TORCH_DEVICE_BACKEND_AUTOLOAD=0"
    ) from error
from torch import Tensor

from @package@._loader import VENDOR_FOLDER, load, load_npu_kernels

__all__ = [
    @names@
]

load()


class _operators:
    """The operators' overloads, looked up once."""

@operators@


del load
@functions@
)py",
                                  {{"banner", banner(plan, "#")},
                                   {"doc", doc},
                                   {"sequences", sequences.empty() ? "" : sequences + "\n"},
                                   {"package", package},
                                   {"names", join(names, ",\n") + ","},
                                   {"operators", operators},
                                   {"functions", functions}});
    const std::string stub = fill(R"py(@banner@
@sequences@
from pathlib import Path

@torch@
from torch import Tensor

VENDOR_FOLDER: Path

def load_npu_kernels() -> None: ...
@stubs@
)py",
                                  {{"banner", banner(plan, "#")},
                                   {"sequences", sequences},
                                   {"torch", stubs.find("torch.") != std::string::npos ? "import torch" : ""},
                                   {"stubs", stubs}});
    return {{"python/" + package + "/__init__.py", init},
            {"python/" + package + "/__init__.pyi", stub},
            loader(plan),
            {"python/" + package + "/py.typed", banner(plan, "#") + "\n"}};
}

}  // namespace opweld::codegen
