#include "codegen/cpp_types.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "codegen/text.h"
#include "spec/attr_types.h"

namespace opweld::codegen {

using spec::AttrDesc;
using spec::AttrKind;
using spec::AttrType;
using spec::DType;
using spec::InputDesc;
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
            return "int64_t";
        case AttrKind::Float:
            return "double";
        case AttrKind::Str:
            return "std::string_view";
        case AttrKind::Scalar:
            return "at::Scalar";
        case AttrKind::ScalarType:
            return "at::ScalarType";
        case AttrKind::Device:
            return "at::Device";
        case AttrKind::Layout:
            return "at::Layout";
        case AttrKind::MemoryFormat:
            return "at::MemoryFormat";
        case AttrKind::Generator:
            return "at::Generator";
        case AttrKind::SymInt:
            return "c10::SymInt";
    }
    throw std::logic_error("attribute kind without a C++ type");
}

std::string optional_of(const std::string& type, bool optional) {
    return optional ? fmt::format("std::optional<{}>", type) : type;
}

std::string by_reference(const std::string& type) { return fmt::format("const {}&", type); }

std::string list_argument(const AttrType& type) {
    if (type.list_depth == 2) {
        const std::string item = plain_type(type.kind);
        return by_reference(optional_of(fmt::format("c10::List<c10::List<{}>>", item), type.optional));
    }
    switch (type.kind) {
        case AttrKind::Int:
            return type.optional ? "at::OptionalIntArrayRef" : "at::IntArrayRef";
        case AttrKind::SymInt:
            return type.optional ? "at::OptionalSymIntArrayRef" : "c10::SymIntArrayRef";
        case AttrKind::Bool:
            if (type.fixed_size && !type.optional) {
                return fmt::format("std::array<bool, {}>", *type.fixed_size);
            }
            return by_reference(optional_of("c10::List<bool>", type.optional));
        case AttrKind::Str:
            return by_reference(optional_of("c10::List<std::string>", type.optional));
        default:
            return optional_of(fmt::format("at::ArrayRef<{}>", plain_type(type.kind)), type.optional);
    }
}

// Lists that are passed as views of someone else's memory.
bool is_view(const AttrType& type) {
    if (type.list_depth == 0) {
        return type.kind == AttrKind::Str;
    }
    return type.list_depth == 1 && type.kind != AttrKind::Bool && type.kind != AttrKind::Str;
}

std::string item_literal(const Value& value, AttrKind kind) {
    if (kind == AttrKind::Scalar) {
        return fmt::format("at::Scalar({})", item_literal(value, AttrKind::Int));
    }
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "true" : "false";
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return kind == AttrKind::SymInt ? fmt::format("c10::SymInt({})", *number)
                                        : fmt::format("int64_t{{{}}}", *number);
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        const std::string text = spec::float_text(*number);
        if (text == "inf" || text == "-inf") {
            return text[0] == '-' ? "-std::numeric_limits<double>::infinity()"
                                  : "std::numeric_limits<double>::infinity()";
        }
        return text == "nan" ? "std::numeric_limits<double>::quiet_NaN()" : text;
    }
    if (const auto* dtype = std::get_if<DType>(&value.data)) {
        return scalar_type(*dtype);
    }
    const auto& text = std::get<std::string>(value.data);
    switch (kind) {
        case AttrKind::Device:
            return fmt::format("at::Device({})",
                               cpp_string(text.starts_with("npu") ? "privateuseone" + text.substr(3) : text));
        case AttrKind::Layout:
            return fmt::format("at::k{}", camel_case(text));
        case AttrKind::MemoryFormat: {
            const std::string name = text.ends_with("_format") ? text.substr(0, text.size() - 7) : text;
            return fmt::format("at::MemoryFormat::{}",
                               name == "channels_last_3d" ? "ChannelsLast3d" : camel_case(name));
        }
        default:
            return fmt::format("std::string_view({})", cpp_string(text));
    }
}

std::string element_of(AttrKind kind) {
    switch (kind) {
        case AttrKind::Str:
            return "std::string";
        case AttrKind::Scalar:
            return "at::Scalar";
        default:
            return plain_type(kind);
    }
}

}  // namespace

std::string argument_type(const InputDesc& input) {
    switch (input.kind) {
        case InputKind::Tensor:
            return "const at::Tensor&";
        case InputKind::OptionalTensor:
            return "const std::optional<at::Tensor>&";
        case InputKind::TensorList:
            return "at::TensorList";
        case InputKind::OptionalList:
            return "const std::optional<std::vector<at::Tensor>>&";
        case InputKind::ListOfOptionals:
            return "const c10::List<std::optional<at::Tensor>>&";
    }
    throw std::logic_error("input kind without a C++ type");
}

std::string argument_type(const AttrDesc& attr) {
    if (attr.type.list_depth > 0) {
        return list_argument(attr.type);
    }
    const std::string type = optional_of(plain_type(attr.type.kind), attr.type.optional);
    const bool large = attr.type.kind == AttrKind::Scalar || attr.type.kind == AttrKind::Generator;
    return large ? by_reference(type) : type;
}

std::string stored_type(const AttrDesc& attr) {
    if (is_view(attr.type)) {
        const std::string item = element_of(attr.type.kind);
        const bool text = attr.type.list_depth == 0;
        return optional_of(text ? item : fmt::format("std::vector<{}>", item), attr.type.optional);
    }
    std::string type = argument_type(attr);
    if (type.starts_with("const ")) {
        type = type.substr(6, type.size() - 7);
    }
    return type;
}

std::string to_stored(const AttrDesc& attr, const std::string& name) {
    return is_view(attr.type) ? fmt::format("support::keep({})", name) : name;
}

std::string from_stored(const AttrDesc& attr, const std::string& member) {
    return is_view(attr.type) ? fmt::format("support::give({})", member) : member;
}

std::string result_type(const OutputDesc& output) {
    switch (output.kind) {
        case OutputKind::Tensor:
            return "at::Tensor";
        case OutputKind::TensorList:
            return "std::vector<at::Tensor>";
        case OutputKind::Int:
            return "int64_t";
        case OutputKind::SymInt:
            return "c10::SymInt";
        case OutputKind::Float:
            return "double";
        case OutputKind::Bool:
            return "bool";
    }
    throw std::logic_error("output kind without a C++ type");
}

std::string return_type(const spec::Operator& op) {
    if (op.outputs.empty()) {
        return "void";
    }
    if (op.outputs.size() == 1) {
        return result_type(op.outputs.front());
    }
    std::vector<std::string> types;
    for (const OutputDesc& output : op.outputs) {
        types.push_back(result_type(output));
    }
    return fmt::format("std::tuple<{}>", join(types));
}

std::string scalar_type(DType dtype) { return fmt::format("at::{}", spec::info(dtype).at_name); }

std::string literal(const Value& value, const AttrType& type) {
    if (value.is_none()) {
        AttrDesc attr;
        attr.type = type;
        std::string name = argument_type(attr);
        if (name.starts_with("const ")) {
            name = name.substr(6, name.size() - 7);
        }
        return name + "()";
    }
    if (type.list_depth == 0) {
        return item_literal(value, type.kind);
    }
    std::vector<std::string> items;
    const auto* list = std::get_if<Value::Items>(&value.data);
    if (list == nullptr) {  // one value for each element of a sized list
        items.assign(static_cast<std::size_t>(type.fixed_size.value_or(1)), item_literal(value, type.kind));
    } else {
        for (const Value& item : *list) {
            AttrType inner = type;
            inner.list_depth = type.list_depth - 1;
            inner.fixed_size = std::nullopt;
            inner.optional = false;
            items.push_back(literal(item, inner));
        }
    }
    if (type.kind == AttrKind::Bool && type.fixed_size && !type.optional) {
        return fmt::format("std::array<bool, {}>{{{}}}", *type.fixed_size, join(items));
    }
    if (type.list_depth == 2) {
        return fmt::format("c10::List<c10::List<{0}>>({{{1}}})", plain_type(type.kind), join(items));
    }
    if (!is_view(type) || (type.list_depth == 1 && items.empty())) {
        return fmt::format("c10::List<{}>({{{}}})", element_of(type.kind), join(items));
    }
    return fmt::format("std::vector<{}>{{{}}}", element_of(type.kind), join(items));
}

}  // namespace opweld::codegen
