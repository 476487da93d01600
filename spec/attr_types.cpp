#include "spec/attr_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "spec/names.h"

namespace opweld::spec {
namespace {

constexpr std::array kKinds = {
    std::pair<AttrKind, std::string_view>{AttrKind::Bool, "bool"},
    std::pair<AttrKind, std::string_view>{AttrKind::Int, "int"},
    std::pair<AttrKind, std::string_view>{AttrKind::Float, "float"},
    std::pair<AttrKind, std::string_view>{AttrKind::Str, "str"},
    std::pair<AttrKind, std::string_view>{AttrKind::Scalar, "Scalar"},
    std::pair<AttrKind, std::string_view>{AttrKind::ScalarType, "ScalarType"},
    std::pair<AttrKind, std::string_view>{AttrKind::Device, "Device"},
    std::pair<AttrKind, std::string_view>{AttrKind::Layout, "Layout"},
    std::pair<AttrKind, std::string_view>{AttrKind::MemoryFormat, "MemoryFormat"},
    std::pair<AttrKind, std::string_view>{AttrKind::Generator, "Generator"},
    std::pair<AttrKind, std::string_view>{AttrKind::SymInt, "SymInt"},
};

// msopgen's names and others that mean the same.
constexpr std::array kAliases = {
    std::pair<std::string_view, std::string_view>{"string", "str"},
    std::pair<std::string_view, std::string_view>{"dtype", "ScalarType"},
    std::pair<std::string_view, std::string_view>{"list_int", "int[]"},
    std::pair<std::string_view, std::string_view>{"list_float", "float[]"},
    std::pair<std::string_view, std::string_view>{"list_bool", "bool[]"},
    std::pair<std::string_view, std::string_view>{"list_string", "str[]"},
    std::pair<std::string_view, std::string_view>{"list_list_int", "int[][]"},
    std::pair<std::string_view, std::string_view>{"listInt", "int[]"},
    std::pair<std::string_view, std::string_view>{"listFloat", "float[]"},
    std::pair<std::string_view, std::string_view>{"listBool", "bool[]"},
    std::pair<std::string_view, std::string_view>{"listString", "str[]"},
    std::pair<std::string_view, std::string_view>{"listListInt", "int[][]"},
};

// Numbers of c10::Layout and c10::MemoryFormat: a schema writes defaults with them.
constexpr std::array kLayouts = {std::string_view{"strided"}, std::string_view{"sparse_coo"},
                                 std::string_view{"sparse_csr"}};
constexpr std::array kMemoryFormats = {std::string_view{"contiguous_format"},
                                       std::string_view{"preserve_format"}, std::string_view{"channels_last"},
                                       std::string_view{"channels_last_3d"}};
constexpr std::array kDevices = {std::string_view{"cpu"}, std::string_view{"npu"}, std::string_view{"meta"}};

template <typename Table>
std::optional<std::size_t> index_of(const Table& table, std::string_view word) {
    const auto found = std::find(table.begin(), table.end(), word);
    return found == table.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - table.begin()));
}

std::optional<std::int64_t> parse_int(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<double> parse_float(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
        return std::nullopt;
    }
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<bool> parse_bool(std::string_view text) {
    if (text == "true" || text == "True") {
        return true;
    }
    return text == "false" || text == "False" ? std::optional(false) : std::nullopt;
}

ValueResult wrong(const Node& node, const AttrType& type, std::string_view why = {}) {
    const std::string what = node.is_scalar() ? "'" + node.text + "'" : std::string(node.kind_name());
    return {std::nullopt,
            fmt::format("{} is no {}{}{}", what, schema_type(type), why.empty() ? "" : ": ", why)};
}

ValueResult read_scalar(const Node& node, const AttrType& type, bool from_text) {
    const bool literal = !node.quoted || from_text;
    const std::string& text = node.text;
    switch (type.kind) {
        case AttrKind::Bool:
            if (const auto flag = parse_bool(text); flag && literal) {
                return {Value{*flag}, {}};
            }
            return wrong(node, type, "true or false");
        case AttrKind::Int:
        case AttrKind::SymInt:
            if (const auto number = parse_int(text); number && literal) {
                return {Value{*number}, {}};
            }
            return wrong(node, type);
        case AttrKind::Float:
            if (const auto number = parse_float(text); number && literal) {
                return {Value{*number}, {}};
            }
            return wrong(node, type);
        case AttrKind::Str:
            return {Value{text}, {}};
        case AttrKind::Scalar:
            if (literal) {
                if (const auto flag = parse_bool(text)) {
                    return {Value{*flag}, {}};
                }
                if (const auto whole = parse_int(text)) {
                    return {Value{*whole}, {}};
                }
                if (const auto number = parse_float(text)) {
                    return {Value{*number}, {}};
                }
            }
            return wrong(node, type, "a number, true or false");
        case AttrKind::ScalarType:
            if (const auto dtype = parse_dtype(text)) {
                return {Value{*dtype}, {}};
            }
            return wrong(node, type, "a dtype such as float32");
        case AttrKind::Device: {
            const std::string_view kind = std::string_view(text).substr(0, text.find(':'));
            const std::string_view number =
                kind.size() == text.size() ? "0" : std::string_view(text).substr(kind.size() + 1);
            if (index_of(kDevices, kind) && parse_int(number).value_or(-1) >= 0) {
                return {Value{text}, {}};
            }
            return wrong(node, type, "cpu, meta or npu, with or without ':' and a number");
        }
        case AttrKind::Layout:
            return index_of(kLayouts, text) ? ValueResult{Value{text}, {}}
                                            : wrong(node, type, fmt::format("{}", fmt::join(kLayouts, ", ")));
        case AttrKind::MemoryFormat:
            return index_of(kMemoryFormats, text)
                       ? ValueResult{Value{text}, {}}
                       : wrong(node, type, fmt::format("{}", fmt::join(kMemoryFormats, ", ")));
        case AttrKind::Generator:
            return wrong(node, type, "a generator has no value but null");
    }
    return wrong(node, type);
}

std::string quote(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else {
            result += c;
        }
    }
    return result + '"';
}

// Whether a text can stand in YAML without quotes and is still read as a text.
bool plain(std::string_view text) {
    return is_identifier(text) && !parse_bool(text) && text != "null" && text != "Null" && text != "NULL";
}

template <typename Text>
std::string list_text(const Value::Items& items, const Text& text) {
    std::string result = "[";
    for (std::size_t index = 0; index < items.size(); ++index) {
        result += (index == 0 ? "" : ", ") + text(items[index]);
    }
    return result + "]";
}

AttrType element_of(AttrType type) {
    --type.list_depth;
    type.fixed_size.reset();
    type.optional = false;
    return type;
}

}  // namespace

std::string_view name(AttrKind kind) { return kKinds.at(static_cast<std::size_t>(kind)).second; }

std::vector<std::string> attr_kind_names() {
    std::vector<std::string> names;
    names.reserve(kKinds.size());
    for (const auto& [kind, text] : kKinds) {
        names.emplace_back(text);
    }
    return names;
}

AttrTypeResult parse_attr_type(std::string_view text) {
    const std::string_view whole = text;
    AttrType type;
    if (text.ends_with('?')) {
        type.optional = true;
        text.remove_suffix(1);
    }
    std::string spelled(text.substr(0, text.find_first_of("[?")));
    std::string rest(text.substr(spelled.size()));
    for (const auto& [alias, meaning] : kAliases) {
        if (alias == spelled) {
            spelled = std::string(meaning.substr(0, meaning.find('[')));
            rest = std::string(meaning.substr(spelled.size())) + rest;
            break;
        }
    }
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.second == spelled; });
    if (kind == kKinds.end()) {
        return {std::nullopt, false, fmt::format("'{}' is no type of an attribute", whole)};
    }
    type.kind = kind->first;
    const auto bad_form = [&](std::string_view why) {
        return AttrTypeResult{std::nullopt, true, fmt::format("'{}': {}", whole, why)};
    };
    std::string_view form = rest;
    while (form.starts_with('[')) {
        const std::size_t end = form.find(']');
        if (end == std::string_view::npos) {
            return bad_form("a '[' is not closed");
        }
        if (const std::string_view size = form.substr(1, end - 1); !size.empty()) {
            const auto number = parse_int(size);
            if (!number || *number < 1) {
                return bad_form(fmt::format("'{}' is no size", size));
            }
            if (type.fixed_size || type.list_depth != 0) {
                return bad_form("only a list has a size, not a list of lists");
            }
            type.fixed_size = number;
        }
        ++type.list_depth;
        form.remove_prefix(end + 1);
    }
    if (!form.empty()) {
        return bad_form(form.starts_with('?') ? "elements of a list can't be optional"
                                              : fmt::format("'{}' can't be understood", form));
    }
    if (type.fixed_size && type.list_depth > 1) {
        return bad_form("only a list has a size, not a list of lists");
    }
    constexpr std::array kNoList = {AttrKind::Device, AttrKind::Layout, AttrKind::MemoryFormat,
                                    AttrKind::Generator};
    if (type.list_depth > 0 && std::find(kNoList.begin(), kNoList.end(), type.kind) != kNoList.end()) {
        return bad_form(fmt::format("there are no lists of {}", name(type.kind)));
    }
    if (type.list_depth > 2 ||
        (type.list_depth == 2 && type.kind != AttrKind::Int && type.kind != AttrKind::Float)) {
        return bad_form("lists of lists are of int or float");
    }
    return {type, true, {}};
}

ValueResult read_value(const Node& node, const AttrType& type, bool from_text) {
    if (node.is_null()) {
        return type.optional ? ValueResult{Value{None{}}, {}} : wrong(node, type);
    }
    if (type.list_depth == 0) {
        return node.is_scalar() ? read_scalar(node, type, from_text) : wrong(node, type);
    }
    const AttrType element = element_of(type);
    if (node.is_scalar() && type.fixed_size) {  // one value for all, as PyTorch has it
        ValueResult one = read_value(node, element, from_text);
        if (one.value) {
            one.value = Value{Value::Items(static_cast<std::size_t>(*type.fixed_size), *one.value)};
        }
        return one;
    }
    if (!node.is_sequence()) {
        return wrong(node, type, "a list");
    }
    // An empty list is PyTorch's way to say "not given" for a sized one.
    if (type.fixed_size && !node.items.empty() &&
        node.items.size() != static_cast<std::size_t>(*type.fixed_size)) {
        return {std::nullopt, fmt::format("a list of {} where {} has {}", node.items.size(),
                                          schema_type(type), *type.fixed_size)};
    }
    Value::Items items;
    items.reserve(node.items.size());
    for (const NodePtr& item : node.items) {
        ValueResult result = read_value(*item, element, from_text);
        if (!result.value) {
            return result;
        }
        items.push_back(std::move(*result.value));
    }
    return {Value{std::move(items)}, {}};
}

std::string default_obstacle(const Value& value, const AttrType& type) {
    if (value.is_none()) {
        return "";
    }
    if (type.list_depth > 1) {
        return "a list of lists can't have a default in a PyTorch schema";
    }
    if (type.list_depth == 1 && type.optional) {
        return "an optional list can't have a default but null in a PyTorch schema";
    }
    if (type.list_depth == 1 && type.kind == AttrKind::Str) {
        return "a list of str can't have a default in a PyTorch schema";
    }
    if (type.kind == AttrKind::Str &&
        std::any_of(std::get<std::string>(value.data).begin(), std::get<std::string>(value.data).end(),
                    [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
        return "a PyTorch schema damages characters beyond ASCII in a default";
    }
    return "";
}

std::string float_text(double number) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".enif") == std::string::npos) {
        text += ".0";
    }
    return text;
}

std::string schema_text(const Value& value, const AttrType& type) {
    if (const auto* items = std::get_if<Value::Items>(&value.data)) {
        return list_text(*items, [&](const Value& item) { return schema_text(item, element_of(type)); });
    }
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "True" : "False";
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return std::to_string(*number);
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        return float_text(*number);
    }
    if (const auto* dtype = std::get_if<DType>(&value.data)) {
        return std::to_string(info(*dtype).scalar_type);
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        if (type.kind == AttrKind::Layout) {
            return std::to_string(index_of(kLayouts, *text).value_or(0));
        }
        if (type.kind == AttrKind::MemoryFormat) {
            return std::to_string(index_of(kMemoryFormats, *text).value_or(0));
        }
        if (type.kind == AttrKind::Device && text->starts_with("npu")) {
            return quote("privateuseone" + text->substr(3));  // known before torch_npu names the backend
        }
        return quote(*text);
    }
    return "None";
}

std::string yaml_text(const Value& value) {
    if (const auto* items = std::get_if<Value::Items>(&value.data)) {
        return list_text(*items, [](const Value& item) { return yaml_text(item); });
    }
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "true" : "false";
    }
    if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
        return std::to_string(*number);
    }
    if (const auto* number = std::get_if<double>(&value.data)) {
        return float_text(*number);
    }
    if (const auto* dtype = std::get_if<DType>(&value.data)) {
        return std::string(name(*dtype));
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return plain(*text) ? *text : quote(*text);
    }
    return "null";
}

std::optional<std::string> expression_text(const Value& value) {
    if (value.is_none()) {
        return "None";
    }
    if (const auto* items = std::get_if<Value::Items>(&value.data)) {
        std::string result = "[";
        for (const Value& item : *items) {
            const auto text = expression_text(item);
            if (!text) {
                return std::nullopt;
            }
            result += (result.size() == 1 ? "" : ", ") + *text;
        }
        return result + "]";
    }
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "True" : "False";
    }
    return std::holds_alternative<std::string>(value.data) ? quote(std::get<std::string>(value.data))
                                                           : yaml_text(value);
}

expr::Type expression_type(const AttrType& type) {
    expr::Type result;
    switch (type.kind) {
        case AttrKind::Bool:
            result = expr::Type::boolean();
            break;
        case AttrKind::Int:
            result = expr::Type::integer();
            break;
        case AttrKind::SymInt:
            result = expr::Type::sym_int();
            break;
        case AttrKind::Float:
            result = expr::Type::floating();
            break;
        case AttrKind::Str:
            result = expr::Type::string();
            break;
        case AttrKind::Scalar:
            result = expr::Type::scalar();
            break;
        case AttrKind::ScalarType:
            result = expr::Type::dtype();
            break;
        case AttrKind::Device:
        case AttrKind::Layout:
        case AttrKind::MemoryFormat:
        case AttrKind::Generator:
            result = expr::Type::opaque(std::string(name(type.kind)));
            break;
    }
    for (int depth = 0; depth < type.list_depth; ++depth) {
        result = expr::Type::list(result);
    }
    return type.optional ? expr::Type::optional(result) : result;
}

}  // namespace opweld::spec
