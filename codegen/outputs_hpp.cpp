// csrc/outputs.hpp: what the spec says about arguments and outputs, as one function per operator for all
// devices.

#include <fmt/format.h>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/generators.h"
#include "codegen/text.h"

namespace opweld::codegen {

using spec::OutputDesc;
using spec::OutputKind;
using spec::ShapeRule;
using spec::TypeSet;
using spec::expr::Flavour;

namespace {

std::string dtype_list(const TypeSet& types) {
    std::vector<std::string> names;
    for (const spec::DType dtype : types.dtypes) {
        names.push_back(scalar_type(dtype));
    }
    return fmt::format("{{{}}}", join(names));
}

std::string dtype_checks(const OperatorPlan& plan) {
    std::string text;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input == nullptr || parameter.input->types.kind == TypeSet::Kind::Any) {
            continue;
        }
        const bool paired = parameter.input->types.kind == TypeSet::Kind::Paired;
        text +=
            fmt::format("\n    .{}({}, {}, {})", paired ? "paired" : "independent",
                        cpp_string(parameter.input->name), parameter.cpp, dtype_list(parameter.input->types));
    }
    return text.empty() ? "" : fmt::format("support::DTypeCheck({}){};\n", cpp_string(plan.qualified), text);
}

// Where the operator writes into its inputs.
std::string overlap_checks(const OperatorPlan& plan) {
    if (!plan.mutates()) {
        return {};
    }
    std::string text;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input != nullptr) {
            text += fmt::format("\n    .{}({}, {})", parameter.input->mutates ? "written" : "read",
                                cpp_string(parameter.input->name), parameter.cpp);
        }
    }
    return fmt::format("support::OverlapCheck({}){};\n", cpp_string(plan.qualified), text);
}

std::string constraint_checks(const OperatorPlan& plan, const Expressions& expressions) {
    std::string text;
    for (const spec::Constraint& constraint : plan.op->constraints) {
        const std::string condition = expressions.cpp(constraint.expr, Flavour::sym);
        const std::string message = cpp_string(plan.qualified + ": " + constraint.message);
        text += wrap(is_symbolic(constraint.expr) ? "TORCH_SYM_CHECK(" : "TORCH_CHECK(", {condition, message},
                     ");\n", 4);
    }
    return text;
}

// `void check_<op>(…)`: element types and constraints.
std::string check_function(const OperatorPlan& plan) {
    const Expressions expressions(plan);
    std::vector<const spec::Expression*> all;
    for (const spec::Constraint& constraint : plan.op->constraints) {
        all.push_back(&constraint.expr);
    }
    const std::set<std::string> names = expressions.used(all);
    const std::string body = dtype_checks(plan) + expressions.declare_bound(names) +
                             expressions.declare_lets(names, Flavour::sym) +
                             constraint_checks(plan, expressions) + overlap_checks(plan);
    std::vector<std::string> parameters;
    for (const Parameter& parameter : plan.parameters) {
        parameters.push_back(fmt::format("[[maybe_unused]] {} {}", parameter.type, parameter.cpp));
    }
    return wrap(fmt::format("inline void check_{}(", plan.name), parameters, ") {\n") + indent(body) + "}\n";
}

// Where outputs are made: with the first tensor that must be there, else the first that is, else as `device`
// says.
std::string device_of(const OperatorPlan& plan) {
    std::vector<std::string> tensors;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.input == nullptr) {
            continue;
        }
        if (parameter.input->kind == spec::InputKind::Tensor) {
            return parameter.cpp + ".device()";
        }
        tensors.push_back(parameter.cpp);
    }
    if (!tensors.empty()) {
        return fmt::format("support::device_of({})", join(tensors));
    }
    const spec::AttrDesc* device = plan.find_attr_of_kind(spec::AttrKind::Device);
    if (device == nullptr) {
        return "at::Device(at::kCPU)";
    }
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.attr == device) {
            return device->type.optional ? parameter.cpp + ".value_or(at::Device(at::kCPU))" : parameter.cpp;
        }
    }
    return "at::Device(at::kCPU)";
}

std::string memory_format(const OperatorPlan& plan, const OutputDesc& output) {
    if (output.memory_format) {
        spec::AttrType type;
        type.kind = spec::AttrKind::MemoryFormat;
        return literal(spec::Value{*output.memory_format}, type);
    }
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.attr != nullptr && parameter.attr->type.kind == spec::AttrKind::MemoryFormat &&
            parameter.attr->type.list_depth == 0) {
            return fmt::format("support::allocation_format({})", parameter.cpp);
        }
    }
    return {};
}

// The call that makes one tensor.
std::string allocation(const OperatorPlan& plan, const OutputDesc& output, const Expressions& expressions,
                       const std::string& before, const std::string& after, std::size_t indentation) {
    std::vector<std::string> arguments{expressions.cpp(output.shape.expression, Flavour::sym)};
    if (output.strides) {
        arguments.push_back(expressions.cpp(*output.strides, Flavour::sym));
    }
    arguments.push_back(fmt::format("at::TensorOptions({}).dtype({})", device_of(plan),
                                    expressions.cpp(*output.dtype, Flavour::sym)));
    if (const std::string format = memory_format(plan, output); !output.strides && !format.empty()) {
        arguments.push_back(format);
    }
    return wrap(fmt::format("{}support::{}(", before, output.strides ? "empty_strided" : "empty"), arguments,
                fmt::format("){};\n", after), indentation);
}

std::string list_output(const OperatorPlan& plan, const OutputDesc& output, const std::string& name,
                        const Expressions& expressions) {
    const std::string count = expressions.cpp(*output.count, Flavour::sym);
    Expressions indexed = expressions;
    indexed.rename("i", "i");
    const std::string item = allocation(plan, output, indexed, name + ".push_back(", ")", 8);
    return fmt::format(
        "std::vector<at::Tensor> {0};\n"
        "for (int64_t i = 0, count = support::concrete({1}); i < count; ++i) {{\n{2}}}\n",
        name, count, indent(item));
}

std::string value_output(const OutputDesc& output, const std::string& name, const Expressions& expressions) {
    std::string value = expressions.cpp(*output.value, Flavour::sym);
    if (output.kind != OutputKind::SymInt && is_symbolic(*output.value)) {
        value = fmt::format("support::concrete({})", value);
    }
    return fmt::format("const {} {} = {};\n", result_type(output), name, value);
}

std::string alias_output(const OperatorPlan& plan, const OutputDesc& output, const std::string& name,
                         const Expressions& expressions) {
    const std::string& source = plan.inputs[*output.alias_of];
    if (output.shape.kind != ShapeRule::Kind::Expression || plan.op->inputs[*output.alias_of].mutates) {
        const bool list = output.kind == OutputKind::TensorList;
        const bool optional = plan.op->inputs[*output.alias_of].kind == spec::InputKind::OptionalTensor;
        return fmt::format("{} {} = {};\n", result_type(output), name,
                           list       ? source + ".vec()"
                           : optional ? source + ".value_or(at::Tensor())"
                                      : source);
    }
    const std::string shape = expressions.cpp(output.shape.expression, Flavour::sym);
    return fmt::format("at::Tensor {} = {}.view_symint({});\n", name, source, shape);
}

std::string output_text(const OperatorPlan& plan, std::size_t i, const Expressions& expressions) {
    const OutputDesc& output = plan.op->outputs[i];
    const std::string& name = plan.outputs[i];
    if (!output.is_tensor()) {
        return value_output(output, name, expressions);
    }
    if (output.alias_of) {
        return alias_output(plan, output, name, expressions);
    }
    std::string text =
        output.kind == OutputKind::TensorList
            ? list_output(plan, output, name, expressions)
            : allocation(plan, output, expressions, fmt::format("at::Tensor {} = ", name), "", 4);
    if (output.present) {
        const std::string condition = expressions.cpp(*output.present, Flavour::sym);
        if (output.kind == OutputKind::Tensor) {
            text = fmt::format("at::Tensor {0};\nif (expr::guard({1})) {{\n{2}}}\n", name, condition,
                               indent(allocation(plan, output, expressions, name + " = ", "", 8)));
        }
    }
    return text;
}

std::string make_function(const OperatorPlan& plan) {
    const spec::Operator& op = *plan.op;
    const Expressions expressions(plan);
    std::vector<const spec::Expression*> all;
    std::vector<std::string> results;
    std::string outputs;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        for (const spec::Expression* expression : expressions_of(op.outputs[i])) {
            all.push_back(expression);
        }
        outputs += output_text(plan, i, expressions);
        results.push_back(plan.outputs[i]);
    }
    const std::set<std::string> names = expressions.used(all);
    std::string body = fmt::format("check_{}({});\n", plan.name, join(plan.parameter_names()));
    body += expressions.declare_bound(names) + expressions.declare_lets(names, Flavour::sym) + outputs;
    if (results.size() == 1) {
        body += fmt::format("return {};\n", results.front());
    } else if (results.size() > 1) {
        body += fmt::format("return {{{}}};\n", join(results));
    }
    return wrap(fmt::format("inline {} {}(", return_type(op), plan.name), plan.parameter_items(), ") {\n") +
           indent(body) + "}\n";
}

}  // namespace

SourceFile outputs_hpp(const PackagePlan& plan) {
    std::string functions;
    bool mutates = false;
    for (const OperatorPlan& op : plan.ops) {
        mutates = mutates || op.mutates();
        functions +=
            fmt::format("// ---- {} ----\n\n{}\n{}\n", op.qualified, check_function(op), make_function(op));
    }
    const std::string text = fill(R"(@banner@
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <opweld/expr/sym.h>
#include <opweld/torch/dtype_check.hpp>
#include <opweld/torch/outputs.hpp>
@overlap@

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

// For each operator: check_<name> refuses arguments that break the spec's rules, <name> does so and makes the outputs, on
// the device of the inputs. Meta, CPU and NPU kernels all start with it.
namespace @package@::outputs {

namespace expr = opweld::expr::sym;
namespace support = opweld::torch_support;

@functions@

}  // namespace @package@::outputs
)",
                                  {{"banner", banner(plan, "//")},
                                   {"package", plan.package->name},
                                   {"overlap", mutates ? "#include <opweld/torch/overlap.hpp>" : ""},
                                   {"functions", functions}});
    return {"csrc/outputs.hpp", text};
}

}  // namespace opweld::codegen
