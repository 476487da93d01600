// python/<package>/converters.py: how torchair puts each operator into a graph.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "codegen/cpp_types.h"
#include "codegen/generators.h"
#include "codegen/graph_operator.h"
#include "codegen/python_types.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

using spec::AttrDesc;
using spec::AttrKind;
using spec::InputDesc;
using spec::OutputDesc;
using spec::OutputKind;

// torchair's name for the type of an attribute.
std::string builder(const std::string& type) {
    std::string name = type;
    if (const std::size_t at = name.find("String"); at != std::string::npos) {
        name.replace(at, std::string::npos, "Str");
    }
    if (const std::size_t at = name.find("Type"); at != std::string::npos) {
        name.replace(at, std::string::npos, "DataType");
    }
    return "attr." + name;
}

// An attribute's value as the builder takes it.
std::string converted(const AttrDesc& attr, const std::string& value, const std::string& qualified) {
    const auto each = [&](const std::string& text) {
        return attr.type.list_depth == 1 ? fmt::format("[{} for item in {}]", text, value) : text;
    };
    switch (attr.type.kind) {
        case AttrKind::ScalarType:
            return each(fmt::format("_DTYPES[{}]", attr.type.list_depth == 1 ? "item" : value));
        case AttrKind::Int:
        case AttrKind::SymInt:
        case AttrKind::Scalar:
            return fmt::format("_known({}, {}, {})", python_string(qualified), python_string(attr.name),
                               value);
        default:
            return attr.type.list_depth == 1 ? fmt::format("list({})", value) : value;
    }
}

std::string attribute_entries(const AttrDesc& attr, const OperatorPlan& plan) {
    std::string text;
    const std::string value = attr.bound ? python_value(*attr.bound) : attr.name;
    const auto add = [&](const std::string& name, const std::string& type, const std::string& item) {
        text += fmt::format("{}: {}({}),\n", python_string(name), builder(type), item);
    };
    const std::string type = graph_attribute_type(attr.type);
    std::string given = value;
    if (attr.type.optional) {
        add("has_" + attr.name, "Bool", value + " is not None");
        const std::string zero = type.starts_with("List")                 ? "()"
                                 : type == "String"                       ? "\"\""
                                 : attr.type.kind == AttrKind::ScalarType ? "torch.float32"
                                                                          : "0";
        given = fmt::format("({} if {} is None else {})", zero, value, value);
    }
    const std::string item = converted(attr, given, plan.qualified);
    if (attr.type.kind == AttrKind::Scalar) {
        add(attr.name + "_dtype", "Type", fmt::format("_scalar_dtype({})", given));
    }
    add(attr.name, type, item);
    return text;
}

// With `functional` that of the operator without mutation, which works on copies and returns them first.
std::string converter(const OperatorPlan& plan, const PackagePlan& package, bool functional) {
    const spec::Operator& op = *plan.op;
    std::string inputs;
    for (const InputDesc& input : op.inputs) {
        const bool list = spec::is_list(input.prototype_kind);
        std::string value = input.bound_to_none ? (list ? "[]" : "None") : input.name;
        if (input.prototype_kind == spec::InputKind::OptionalList && !input.bound_to_none) {
            value += " or []";
        }
        if (functional && input.mutates) {
            value = fmt::format("_copied({})", value);
        }
        inputs += fmt::format("{}: {},\n", python_string(input.name), value);
    }
    std::string attributes;
    for (const AttrDesc& attr : op.attrs) {
        if (reaches_kernel(attr)) {
            attributes += attribute_entries(attr, plan);
        }
    }
    std::vector<std::string> outputs;
    const std::vector<std::size_t> mutated = mutated_inputs(plan);
    outputs.reserve(mutated.size());
    for (const std::size_t i : mutated) {
        outputs.push_back(python_string(op.inputs[i].name));
    }
    const std::vector<std::size_t> made = plan.made_outputs();
    std::vector<std::string> results;
    for (std::size_t k = 0; k < made.size(); ++k) {
        const OutputDesc& output = op.outputs[made[k]];
        const std::size_t place = functional ? mutated.size() + k : made[k];
        const std::size_t count = functional ? mutated.size() + made.size() : op.outputs.size();
        const std::string meta = count == 1 ? "meta_outputs" : fmt::format("meta_outputs[{}]", place);
        const std::string name = python_string(output.name);
        outputs.push_back(output.kind == OutputKind::TensorList ? fmt::format("({}, len({}))", name, meta)
                                                                : name);
        const std::string result = outputs.size() == 1 && made.size() == 1 && mutated.empty()
                                       ? "outputs"
                                       : fmt::format("outputs[{}]", mutated.size() + k);
        results.push_back(output.present ? fmt::format("None if {} is None else {}", meta, result) : result);
    }
    // What the operator returns: inputs it wrote into come back as the outputs of their names.
    std::vector<std::string> returned;
    const auto written = [&](std::size_t place) {
        return outputs.size() == 1 ? std::string("outputs") : fmt::format("outputs[{}]", place);
    };
    for (std::size_t place = 0; functional && place < mutated.size(); ++place) {
        returned.push_back(written(place));
    }
    for (std::size_t i = 0, k = 0; i < op.outputs.size(); ++i) {
        if (!op.outputs[i].alias_of) {
            returned.push_back(results[k++]);
        } else if (!functional) {
            const auto input = std::find(mutated.begin(), mutated.end(), *op.outputs[i].alias_of);
            returned.push_back(written(static_cast<std::size_t>(input - mutated.begin())));
        }
    }
    const bool plain = results.size() == returned.size() && mutated.empty() &&
                       std::none_of(op.outputs.begin(), op.outputs.end(),
                                    [](const OutputDesc& output) { return output.present.has_value(); });
    std::vector<std::string> parameters = python_parameters(plan);
    if (std::find(parameters.begin(), parameters.end(), "*") == parameters.end()) {
        parameters.emplace_back("*");
    }
    parameters.emplace_back("meta_outputs=None");
    const std::string name = "convert_" + plan.name + (functional ? "_functional" : "");
    std::string call = fill(R"(torchair.ge.custom_op(
    @type@,
    inputs={
        @inputs@
    },
    attrs={
        @attributes@
    },
    outputs=[@outputs@],
)
)",
                            {{"type", python_string(package.ops[plan.root].op->ge_op)},
                             {"inputs", inputs},
                             {"attributes", attributes},
                             {"outputs", join(outputs)}});
    std::string body;
    if (plain) {
        body = "return " + call;
    } else if (returned.empty()) {
        body = call;
    } else {
        body = "outputs = " + call + "return " + join(returned) + "\n";
    }
    const std::string overload = op.overload.empty() ? "default" : op.overload;
    const std::string target = functional
                                   ? fmt::format("torch.ops.{}.{}.{}", op.ns, functional_name(plan), overload)
                                   : python_operator(plan);
    return fmt::format("@torchair.register_fx_node_ge_converter({})\n{}{}", target,
                       wrap("def " + name + "(", parameters, "):\n"), indent(body));
}

bool uses_kind(const PackagePlan& plan, std::initializer_list<AttrKind> kinds) {
    return std::any_of(plan.ops.begin(), plan.ops.end(), [&](const OperatorPlan& op) {
        return has_converter(op, plan) &&
               std::any_of(op.op->attrs.begin(), op.op->attrs.end(), [&](const AttrDesc& attr) {
                   return std::find(kinds.begin(), kinds.end(), attr.type.kind) != kinds.end();
               });
    });
}

std::string helpers(const PackagePlan& plan) {
    std::string text;
    if (uses_kind(plan, {AttrKind::ScalarType})) {
        text += "\n# The graph engine's numbers of data types.\n_DTYPES = {\n";
        std::vector<std::string> rows;
        for (const spec::DTypeInfo& info : spec::dtype_table()) {
            rows.push_back(fmt::format("torch.{}: torchair.ge.DataType.{}", info.name, info.ge_name));
        }
        text += indent(join(rows, ",\n") + ",\n") + "}\n";
    }
    if (std::any_of(plan.ops.begin(), plan.ops.end(), [&](const OperatorPlan& op) {
            return has_converter(op, plan) && op.returns_mutated();
        })) {
        text += R"(

def _copied(tensor):
    """The kernel writes into what it is given."""
    return None if tensor is None else torchair.ge.custom_op("TensorMove", inputs={"x": tensor}, outputs=["y"])
)";
    }
    if (uses_kind(plan, {AttrKind::Int, AttrKind::SymInt, AttrKind::Scalar})) {
        text += R"(

def _known(operator, name, value):
    """An attribute is part of the graph: its value must be known when the graph is compiled."""
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(item, (bool, int, float, list, tuple)):
            raise RuntimeError(
                f"{operator}: argument {name} is an attribute of the graph, so its value must be known when the graph "
                f"is compiled, but it depends on a size that is not ({item}): compile with dynamic=False, or make it "
                "a constant"
            )
    return [list(item) if isinstance(item, tuple) else item for item in value] if isinstance(value, (list, tuple)) else value
)";
    }
    if (uses_kind(plan, {AttrKind::Scalar})) {
        text += R"(

def _scalar_dtype(value):
    """What kind of number a Scalar is decides about the data type of results."""
    types = torchair.ge.DataType
    return types.DT_BOOL if isinstance(value, bool) else types.DT_INT64 if isinstance(value, int) else types.DT_DOUBLE
)";
    }
    return text;
}

std::string imports(const std::string& functions, const std::string& files, const std::string& without) {
    std::string text = files.empty() ? "" : "import importlib\n";
    text += without.empty() ? "" : "import os\n";
    text += files.empty() ? "" : "import traceback\nimport warnings\n";
    text += without.empty() ? "" : "from pathlib import Path\n";
    text += text.empty() ? "import torch\n" : "\nimport torch\n";
    text += "import torchair\n";
    return functions.empty() ? text : text + "from torchair.ge import attr\n";
}

// A row of the table of converters that the spec's author wrote.
std::string converter_file(const OperatorPlan& plan) {
    const std::string overload = plan.op->overload.empty() ? "default" : plan.op->overload;
    // Of an operator that writes into an input and returns it, graphs get the one without mutation.
    const std::string op = plan.returns_mutated() ? fmt::format("torch.ops.{}.{}.{}", plan.op->ns,
                                                                functional_name(plan), overload)
                                                  : python_operator(plan);
    return fmt::format("({}, {}, {}),\n", op, python_string(converter_module(plan.op->converter)),
                       python_string(plan.op->converter.file));
}

// How a converter says that there is none, where torchair would say nothing of use.
std::string refusing() {
    return R"py(

def _refuse(operator, reason, advice):
    """Gives the operator a converter that says why there is none; opweld's tools read the reason from it."""

    def convert(*arguments, meta_outputs=None, **keywords):
        raise RuntimeError(f"{operator} has no converter: {reason}; {advice}")

    convert.reason = reason
    torchair.register_fx_node_ge_converter(operator)(convert)
)py";
}

// A file that fails is told at once, and by the operators that it should have converted; eager mode, and the
// graphs of others, go on.
std::string files_loading(const PackagePlan& plan, const std::string& files) {
    return files.empty() ? ""
                         : fill(R"py(

# Operators whose converters are in files of their own: operator, module, the file that the spec names.
_FILES = [
    @files@
]


def _fault_of(operator, module, file):
    """What is wrong with a converter file, "" where it has registered a converter for the operator."""
    try:
        importlib.import_module(f"@package@.converter_files.{module}")
    except Exception as error:  # it is somebody's own
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(f"{module}.py")]
        if isinstance(error, SyntaxError) and str(error.filename).endswith(f"{module}.py"):
            lines.append(error.lineno)
        line = lines[-1] if lines else 1
        return f"its converter file {file}:{line} fails: {type(error).__name__}: {error}"
    if not hasattr(operator, "_ge_converter"):
        return (
            f"its converter file {file} registers none for it: put "
            f"@torchair.register_fx_node_ge_converter(torch.ops.{operator}) before the function that converts it"
        )
    return ""


for _operator, _module, _file in _FILES:
    if _fault := _fault_of(_operator, _module, _file):
        warnings.warn(f"{_operator} has no converter: {_fault}", RuntimeWarning, stacklevel=1)
        _refuse(_operator, _fault, "mend the file and build the package anew")
)py",
                                {{"files", files}, {"package", plan.package->name}});
}

// Where torchair can call an operator from a graph by itself, it needs no converter. Else it says nothing of
// use.
std::string refusals(const std::string& without) {
    return without.empty() ? ""
                           : fill(R"py(

# Operators that graphs cannot have as nodes, and why.
_WITHOUT = {
    @without@
}


if not (Path(os.environ.get("ASCEND_HOME_PATH", "")) / "include" / "graph" / "custom_op.h").exists():
    # torchair cannot build its own calls of operators without these headers.
    for _operator, _reason in _WITHOUT.items():
        _refuse(_operator, _reason, "call it outside of the compiled function, or after torch._dynamo.graph_break()")
)py",
                                  {{"without", without}});
}

}  // namespace

std::string converter_module(const spec::Converter& converter) {
    std::string name = converter.file.substr(0, converter.file.size() - 3);
    std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

std::vector<SourceFile> converters(const PackagePlan& plan) {
    std::string functions;
    std::string files;
    std::string without;
    for (const OperatorPlan& op : plan.ops) {
        if (has_converter(op, plan)) {
            functions += "\n\n" + converter(op, plan, false);
            if (op.returns_mutated()) {
                functions += "\n\n" + converter(op, plan, true);
            }
        } else if (op.op->converter.kind == spec::Converter::Kind::File) {
            files += converter_file(op);
        } else if (!decomposes(op)) {
            const std::string own = graph_obstacle(op);
            without += fmt::format("{}: {},\n", python_operator(op),
                                   python_string(own.empty() ? graph_obstacle(plan.ops[op.root]) : own));
        }
    }
    if (functions.empty() && files.empty() && without.empty()) {
        return {};
    }
    return {{"python/" + plan.package->name + "/converters.py",
             fill(R"py(@banner@
"""The converters: how torchair puts the operators into graphs. Imported when torchair is."""

from __future__ import annotations

@imports@
@rest@
)py",
                  {{"banner", banner(plan, "#")},
                   {"imports", imports(functions, files, without)},
                   {"rest", helpers(plan) + functions + (files.empty() && without.empty() ? "" : refusing()) +
                                refusals(without) + files_loading(plan, files)}})}};
}

}  // namespace opweld::codegen
