// csrc/proto_*.h and .cpp: the prototypes of a package's graph operators, and their InferShape functions.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cpp_types.h"
#include "codegen/expressions.h"
#include "codegen/generators.h"
#include "codegen/graph_operator.h"
#include "codegen/kernel_call.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

using spec::AttrDesc;
using spec::AttrKind;
using spec::InputDesc;
using spec::InputKind;
using spec::OutputDesc;
using spec::OutputKind;
using spec::expr::Flavour;

std::string tensor_type(const std::vector<spec::DType>& dtypes) {
    std::vector<std::string> names;
    for (const spec::DType dtype : dtypes) {
        std::string name(spec::info(dtype).ge_name);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    return names.empty() ? "TensorType::ALL()" : "TensorType({" + join(names) + "})";
}

// The types that an output may have, as far as the spec says them.
std::string output_types(const OperatorPlan& plan, const OutputDesc& output) {
    if (!output.type_list.empty()) {
        return tensor_type(output.type_list);
    }
    if (output.dtype) {
        for (const InputDesc& input : plan.op->inputs) {
            if (output.dtype->text == input.name + ".dtype") {
                return tensor_type(input.types.dtypes);
            }
        }
    }
    return tensor_type({});
}

std::string part(const std::string& word, const std::vector<std::string>& arguments) {
    return fmt::format("    .{}({})\n", word, join(arguments));
}

std::string prototype(const OperatorPlan& plan) {
    std::string parts;
    for (const InputDesc& input : plan.op->inputs) {
        const char* word = spec::is_list(input.kind)                 ? "DYNAMIC_INPUT"
                           : input.kind == InputKind::OptionalTensor ? "OPTIONAL_INPUT"
                                                                     : "INPUT";
        parts += part(word, {input.name, tensor_type(input.types.dtypes)});
    }
    for (const std::size_t i : mutated_inputs(plan)) {
        parts += part("OUTPUT", {plan.op->inputs[i].name, tensor_type(plan.op->inputs[i].types.dtypes)});
    }
    for (const std::size_t i : plan.made_outputs()) {
        const OutputDesc& output = plan.op->outputs[i];
        parts += part(output.kind == OutputKind::TensorList ? "DYNAMIC_OUTPUT" : "OUTPUT",
                      {output.name, output_types(plan, output)});
    }
    for (const AttrDesc& attr : plan.op->attrs) {
        for (const GraphAttribute& attribute : graph_attributes(attr)) {
            parts += attribute.default_value.empty()
                         ? part("REQUIRED_ATTR", {attribute.name, attribute.type})
                         : part("ATTR", {attribute.name, attribute.type, attribute.default_value});
        }
    }
    const std::string doc = plan.op->doc.empty() ? "" : paragraph(plan.op->doc, "// ");
    return fmt::format("{0}REG_OP({1})\n{2}    .OP_END_FACTORY_REG({1})\n", doc, plan.op->ge_op, parts);
}

std::string read_input(const InputDesc& input, const std::string& name) {
    const char* reader = input.kind == InputKind::Tensor           ? "tensor"
                         : input.kind == InputKind::OptionalTensor ? "optional_tensor"
                         : input.kind == InputKind::OptionalList   ? "optional_list"
                                                                   : "list";
    return fmt::format("const auto {} = call.{}({});\n", name, reader, cpp_string(input.name));
}

std::string read_attr(const AttrDesc& attr, const std::string& name) {
    const std::string type = graph_attribute_type(attr.type);
    const std::string text = cpp_string(attr.name);
    const char* reader = attr.type.kind == AttrKind::Scalar ? "scalar"
                         : type == "Bool"                   ? "boolean"
                         : type == "Int"                    ? "integer"
                         : type == "Float"                  ? "real"
                         : type == "String"                 ? "string"
                         : type == "Type"                   ? "dtype"
                         : type == "ListBool"               ? "booleans"
                         : type == "ListInt"                ? "integers"
                         : type == "ListFloat"              ? "reals"
                         : type == "ListString"             ? "strings"
                         : type == "ListType"               ? "dtypes"
                                                            : "integer_lists";
    if (!attr.type.optional) {
        return fmt::format("const auto {} = call.{}({});\n", name, reader, text);
    }
    return fmt::format("const auto {0} = call.has({1}) ? std::optional(call.{2}({1})) : std::nullopt;\n",
                       name, text, reader);
}

std::string set_output(const OperatorPlan& plan, std::size_t index, const Expressions& expressions) {
    const OutputDesc& output = plan.op->outputs[index];
    const std::string name = cpp_string(output.name);
    const std::string shape = is_data_dependent(output)
                                  ? fmt::format("prototype::unknown_sizes({})",
                                                expressions.cpp(output.shape.expression, Flavour::graph))
                                  : expressions.cpp(output.shape.expression, Flavour::graph);
    const std::string dtype = expressions.cpp(*output.dtype, Flavour::graph);
    if (output.kind == OutputKind::TensorList) {
        return fmt::format(
            "for (int part = 0; part < call.parts({}, {}); ++part) {{\n"
            "    [[maybe_unused]] const expr::Int i = part;\n"
            "{}}}\n",
            name, expressions.cpp(*output.count, Flavour::graph),
            wrap("    call.set(", {name, "part", shape, dtype}, ");\n", 8));
    }
    const std::string set = wrap("call.set(", {name, shape, dtype}, ");\n", 8);
    if (!output.present) {
        return set;
    }
    return fmt::format("if (expr::known_false({})) {{\n    call.set_absent({});\n}} else {{\n{}}}\n",
                       expressions.cpp(*output.present, Flavour::graph), name, indent(set));
}

std::string infer_function(const OperatorPlan& plan) {
    const spec::Operator& op = *plan.op;
    Expressions expressions(plan);
    expressions.rename("i", "i");
    const auto usable = [&](const spec::Expression& expression) {
        const std::set<std::string> used = expressions.used({&expression});
        return std::none_of(op.attrs.begin(), op.attrs.end(), [&](const AttrDesc& attr) {
            return used.contains(attr.name) && !reaches_kernel(attr);
        });
    };
    std::vector<const spec::Expression*> all;
    std::vector<const spec::Constraint*> constraints;
    for (const spec::Constraint& constraint : op.constraints) {
        if (usable(constraint.expr)) {
            constraints.push_back(&constraint);
            all.push_back(&constraint.expr);
        }
    }
    for (const std::size_t i : plan.made_outputs()) {
        for (const spec::Expression* expression :
             {&op.outputs[i].shape.expression, op.outputs[i].dtype ? &*op.outputs[i].dtype : nullptr,
              op.outputs[i].count ? &*op.outputs[i].count : nullptr,
              op.outputs[i].present ? &*op.outputs[i].present : nullptr}) {
            if (expression != nullptr) {
                all.push_back(expression);
            }
        }
    }
    const std::set<std::string> names = expressions.used(all);
    std::string body;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (names.contains(op.inputs[i].name) || op.inputs[i].mutates) {
            body += read_input(op.inputs[i], plan.inputs[i]);
        }
    }
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
        if (names.contains(op.attrs[i].name) && reaches_kernel(op.attrs[i])) {
            body += read_attr(op.attrs[i], plan.attrs[i]);
        }
    }
    body += expressions.declare_lets(names, Flavour::graph);
    for (const spec::Constraint* constraint : constraints) {
        body += wrap("prototype::Call::require(",
                     {expressions.cpp(constraint->expr, Flavour::graph), cpp_string(constraint->message)},
                     ");\n", 8);
    }
    for (const std::size_t i : mutated_inputs(plan)) {
        body += op.inputs[i].kind == InputKind::OptionalTensor
                    ? fmt::format("if ({0}) {{\n    call.set({1}, {0}->shape, {0}->dtype);\n}}\n",
                                  plan.inputs[i], cpp_string(op.inputs[i].name))
                    : fmt::format("call.set({1}, {0}.shape, {0}.dtype);\n", plan.inputs[i],
                                  cpp_string(op.inputs[i].name));
    }
    for (const std::size_t i : plan.made_outputs()) {
        body += set_output(plan, i, expressions);
    }
    return fill(R"(IMPLEMT_COMMON_INFERFUNC(Infer@type@) {
    return prototype::infer("@type@", op, []([[maybe_unused]] const prototype::Call& call) {
        @body@
    });
}
COMMON_INFER_FUNC_REG(@type@, Infer@type@);
)",
                {{"type", op.ge_op}, {"body", body}});
}

}  // namespace

std::vector<SourceFile> prototype_files(const PackagePlan& plan) {
    std::vector<SourceFile> files;
    for (const OperatorPlan& op : plan.ops) {
        if (!has_prototype(op, plan)) {
            continue;
        }
        const std::string stem = "proto_" + snake_case(op.op->ge_op);
        files.push_back(
            {"csrc/" + stem + ".h", fill(R"(@banner@
#pragma once

#include "graph/operator_reg.h"

namespace ge {

@prototype@

}  // namespace ge
)",
                                         {{"banner", banner(plan, "//")}, {"prototype", prototype(op)}})});
        files.push_back(
            {"csrc/" + stem + ".cpp",
             fill(R"(@banner@
#include "@stem@.h"

#include <optional>

#include "opweld/prototype.hpp"

namespace {
namespace expr = opweld::expr::graph;
namespace prototype = opweld::prototype;
}  // namespace

namespace ge {

@infer@

}  // namespace ge
)",
                  {{"banner", banner(plan, "//")}, {"stem", stem}, {"infer", infer_function(op)}})});
    }
    return files;
}

}  // namespace opweld::codegen
