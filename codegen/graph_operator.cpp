#include "codegen/graph_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "codegen/cpp_types.h"
#include "codegen/text.h"

namespace opweld::codegen {

namespace {

using spec::AttrDesc;
using spec::AttrKind;
using spec::Converter;
using spec::InputDesc;
using spec::InputKind;
using spec::OutputDesc;

std::string obstacle(const InputDesc& input) {
    if (input.prototype_kind == InputKind::ListOfOptionals) {
        return fmt::format("'{}' is a list with tensors left out, which graphs do not have", input.name);
    }
    if (input.mutates && spec::is_list(input.kind)) {
        return fmt::format("it writes into the tensors of the list '{}'", input.name);
    }
    return {};
}

std::string obstacle(const AttrDesc& attr) {
    if (attr.type.kind == AttrKind::Generator) {
        return fmt::format("'{}' draws random numbers, which would be the same in each run of a graph",
                           attr.name);
    }
    if (attr.type.kind == AttrKind::Scalar && attr.type.list_depth > 0) {
        return fmt::format("'{}' is a list of Scalars", attr.name);
    }
    if (attr.type.kind == AttrKind::Float && attr.type.list_depth == 2) {
        return fmt::format("'{}' is a list of lists of float", attr.name);
    }
    return {};
}

std::string obstacle(const OutputDesc& output) {
    if (output.is_tensor() && output.shape.kind == spec::ShapeRule::Kind::DataDependent) {
        return fmt::format("the size of '{}' depends on values", output.name);
    }
    return output.is_tensor() ? std::string() : fmt::format("it returns the number '{}'", output.name);
}

std::string braces(const std::vector<std::string>& items) { return "{" + join(items) + "}"; }

std::string value_text(const spec::Value& value) {
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "true" : "false";
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return std::to_string(*number);
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        return fmt::format("{}", *number);
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return cpp_string(*text);
    }
    if (const auto* dtype = std::get_if<spec::DType>(&value.data)) {
        return std::string(spec::info(*dtype).ge_name);
    }
    std::vector<std::string> items;
    for (const spec::Value& item : std::get<spec::Value::Items>(value.data)) {
        items.push_back(value_text(item));
    }
    return braces(items);
}

std::string zero_text(const std::string& type) {
    if (type.starts_with("List")) {
        return "{}";
    }
    return type == "Bool" ? "false" : type == "String" ? "\"\"" : type == "Type" ? "DT_FLOAT" : "0";
}

std::string scalar_dtype(const spec::Value& value) {
    return std::holds_alternative<bool>(value.data)           ? "DT_BOOL"
           : std::holds_alternative<std::int64_t>(value.data) ? "DT_INT64"
                                                              : "DT_DOUBLE";
}

}  // namespace

std::string graph_obstacle(const OperatorPlan& plan) {
    if (plan.is_view()) {
        return "it is a view, which PyTorch decomposes";
    }
    const auto first = [](const auto& items) {
        for (const auto& item : items) {
            if (std::string text = obstacle(item); !text.empty()) {
                return text;
            }
        }
        return std::string();
    };
    for (const std::string& text : {first(plan.op->inputs), first(plan.op->attrs), first(plan.op->outputs)}) {
        if (!text.empty()) {
            return text;
        }
    }
    if (!plan.calls_own_function) {
        return plan.compose != nullptr
                   ? "a formula is its only kernel"
                   : fmt::format(
                         "its kernel is {} of CANN, whose type in graphs opweld does not know; "
                         "`converter: file.py` can name it",
                         plan.aclnn_function);
    }
    return {};
}

bool decomposes(const OperatorPlan& plan) {
    if (plan.op->converter.kind == Converter::Kind::Auto) {
        return plan.compose != nullptr && !plan.calls_own_function && !plan.mutates();
    }
    return plan.op->converter.kind == Converter::Kind::Decompose;
}

bool has_converter(const OperatorPlan& plan, const PackagePlan& package) {
    const OperatorPlan& root = package.ops[plan.root];
    return plan.op->converter.kind == Converter::Kind::Auto && graph_obstacle(plan).empty() &&
           graph_obstacle(root).empty();
}

bool has_prototype(const OperatorPlan& plan, const PackagePlan& package) {
    if (!plan.is_root || !graph_obstacle(plan).empty()) {
        return false;
    }
    return std::any_of(package.ops.begin(), package.ops.end(), [&](const OperatorPlan& op) {
        return &package.ops[op.root] == &plan && op.op->converter.kind != Converter::Kind::Decompose;
    });
}

std::string graph_attribute_type(const spec::AttrType& type) {
    std::string name;
    switch (type.kind) {
        case AttrKind::Bool:
            name = "Bool";
            break;
        case AttrKind::Int:
        case AttrKind::SymInt:
            name = "Int";
            break;
        case AttrKind::Float:
        case AttrKind::Scalar:
            name = "Float";
            break;
        case AttrKind::Str:
            name = "String";
            break;
        case AttrKind::ScalarType:
            name = "Type";
            break;
        default:
            throw std::logic_error("an attribute that graphs do not get");
    }
    return std::string(type.list_depth == 2 ? "ListList" : type.list_depth == 1 ? "List" : "") + name;
}

std::vector<GraphAttribute> graph_attributes(const AttrDesc& attr) {
    if (!reaches_kernel(attr)) {
        return {};
    }
    const std::string type = graph_attribute_type(attr.type);
    const bool given = attr.default_value && !attr.default_value->is_none();
    std::vector<GraphAttribute> result;
    if (attr.type.optional) {
        result.push_back({"has_" + attr.name, "Bool", given ? "true" : "false"});
    }
    std::string value = given ? value_text(*attr.default_value) : attr.type.optional ? zero_text(type) : "";
    if (attr.type.kind == AttrKind::Scalar) {
        result.push_back({attr.name + "_dtype", "Type",
                          given                ? scalar_dtype(*attr.default_value)
                          : attr.type.optional ? "DT_DOUBLE"
                                               : ""});
        if (value == "true" || value == "false") {
            value = value == "true" ? "1" : "0";
        }
    }
    result.push_back({attr.name, type, value});
    return result;
}

std::vector<std::size_t> mutated_inputs(const OperatorPlan& plan) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < plan.op->inputs.size(); ++i) {
        if (plan.op->inputs[i].mutates) {
            result.push_back(i);
        }
    }
    return result;
}

}  // namespace opweld::codegen
