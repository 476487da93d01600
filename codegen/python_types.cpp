#include "codegen/python_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "codegen/text.h"
#include "spec/attr_types.h"

namespace opweld::codegen {

using spec::AttrKind;
using spec::InputKind;
using spec::OutputDesc;
using spec::OutputKind;
using spec::Value;

namespace {

std::string plain_type(AttrKind kind) {
    switch (kind) {
        case AttrKind::Bool:
            return "bool";
        case AttrKind::Int:
        case AttrKind::SymInt:
            return "int";
        case AttrKind::Float:
            return "float";
        case AttrKind::Str:
            return "str";
        case AttrKind::Scalar:
            return "float | complex";
        case AttrKind::ScalarType:
            return "torch.dtype";
        case AttrKind::Device:
            return "torch.device | str";
        case AttrKind::Layout:
            return "torch.layout";
        case AttrKind::MemoryFormat:
            return "torch.memory_format";
        case AttrKind::Generator:
            return "torch.Generator";
    }
    throw std::logic_error("attribute kind without a Python type");
}

std::string result_type(const OutputDesc& output) {
    switch (output.kind) {
        case OutputKind::Tensor:
            return output.present ? "Tensor | None" : "Tensor";
        case OutputKind::TensorList:
            return "list[Tensor]";
        case OutputKind::Int:
        case OutputKind::SymInt:
            return "int";
        case OutputKind::Float:
            return "float";
        case OutputKind::Bool:
            return "bool";
    }
    throw std::logic_error("output kind without a Python type");
}

}  // namespace

std::string python_type(const spec::InputDesc& input) {
    switch (input.kind) {
        case InputKind::Tensor:
            return "Tensor";
        case InputKind::OptionalTensor:
            return "Tensor | None";
        case InputKind::TensorList:
            return "Sequence[Tensor]";
        case InputKind::OptionalList:
            return "Sequence[Tensor] | None";
        case InputKind::ListOfOptionals:
            return "Sequence[Tensor | None]";
    }
    throw std::logic_error("input kind without a Python type");
}

std::string python_type(const spec::AttrType& type) {
    std::string text = plain_type(type.kind);
    for (int depth = 0; depth < type.list_depth; ++depth) {
        text = fmt::format("Sequence[{}]", text);
    }
    return type.optional ? text + " | None" : text;
}

std::string python_return_type(const spec::Operator& op) {
    if (op.outputs.empty()) {
        return "None";
    }
    if (op.outputs.size() == 1) {
        return result_type(op.outputs.front());
    }
    std::vector<std::string> types;
    for (const OutputDesc& output : op.outputs) {
        types.push_back(result_type(output));
    }
    return fmt::format("tuple[{}]", join(types));
}

std::string python_value(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "True" : "False";
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return std::to_string(*number);
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        const std::string text = spec::float_text(*number);
        const bool finite = text.find_first_of("0123456789") != std::string::npos;
        return finite ? text : fmt::format("float({})", python_string(text));
    }
    if (const auto* dtype = std::get_if<spec::DType>(&value.data)) {
        return fmt::format("torch.{}", spec::name(*dtype));
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return python_string(*text);
    }
    if (const auto* items = std::get_if<Value::Items>(&value.data)) {
        std::vector<std::string> texts;
        for (const Value& item : *items) {
            texts.push_back(python_value(item));
        }
        return fmt::format("({}{})", join(texts), texts.size() == 1 ? "," : "");
    }
    return "None";
}

namespace {

// Layouts and memory formats are objects of torch.
std::string default_value(const Parameter& parameter, const Value& value) {
    const bool object = parameter.attr != nullptr && (parameter.attr->type.kind == AttrKind::Layout ||
                                                      parameter.attr->type.kind == AttrKind::MemoryFormat);
    const auto* text = std::get_if<std::string>(&value.data);
    return object && text != nullptr ? "torch." + *text : python_value(value);
}

}  // namespace

std::string python_signature(const OperatorPlan& plan) {
    std::vector<std::string> items;
    bool keyword_only = false;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.argument->keyword_only && !keyword_only) {
            items.emplace_back("*");
            keyword_only = true;
        }
        const bool input = parameter.input != nullptr;
        std::string item =
            fmt::format("{}: {}", input ? parameter.input->name : parameter.attr->name,
                        input ? python_type(*parameter.input) : python_type(parameter.attr->type));
        if (parameter.argument->default_value) {
            item += " = " + default_value(parameter, *parameter.argument->default_value);
        }
        items.push_back(item);
    }
    const std::string tail = fmt::format(") -> {}", python_return_type(*plan.op));
    const std::string one_line = fmt::format("def {}({}{}:", plan.name, join(items), tail);
    if (one_line.size() <= line_limit) {
        return fmt::format("({}{}", join(items), tail);
    }
    return fmt::format("(\n    {},\n{}", join(items, ",\n    "), tail);
}

std::vector<std::string> python_parameters(const OperatorPlan& plan) {
    std::vector<std::string> items;
    bool keyword_only = false;
    for (const Parameter& parameter : plan.parameters) {
        if (parameter.argument->keyword_only && !keyword_only) {
            items.emplace_back("*");
            keyword_only = true;
        }
        std::string item = parameter.input != nullptr ? parameter.input->name : parameter.attr->name;
        if (parameter.argument->default_value) {
            item += "=" + default_value(parameter, *parameter.argument->default_value);
        }
        items.push_back(item);
    }
    return items;
}

std::string python_call(const OperatorPlan& plan) {
    std::vector<std::string> items;
    for (const Parameter& parameter : plan.parameters) {
        const std::string& name = parameter.input != nullptr ? parameter.input->name : parameter.attr->name;
        items.push_back(parameter.argument->keyword_only ? fmt::format("{0}={0}", name) : name);
    }
    return join(items);
}

std::string python_operator(const OperatorPlan& plan) {
    return fmt::format("torch.ops.{}.{}.{}", plan.op->ns, plan.op->name,
                       plan.op->overload.empty() ? "default" : plan.op->overload);
}

}  // namespace opweld::codegen
