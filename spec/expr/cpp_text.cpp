#include "spec/expr/cpp_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace opweld::spec::expr {
namespace {

using opweld::expr::DType;

constexpr std::array<std::string_view, 92> cpp_keywords{
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

constexpr std::pair<DType, std::string_view> scalar_types[] = {
    {DType::float32, "kFloat"},
    {DType::float16, "kHalf"},
    {DType::int8, "kChar"},
    {DType::int32, "kInt"},
    {DType::uint8, "kByte"},
    {DType::int16, "kShort"},
    {DType::uint16, "kUInt16"},
    {DType::uint32, "kUInt32"},
    {DType::int64, "kLong"},
    {DType::uint64, "kUInt64"},
    {DType::float64, "kDouble"},
    {DType::boolean, "kBool"},
    {DType::complex64, "kComplexFloat"},
    {DType::complex128, "kComplexDouble"},
    {DType::bfloat16, "kBFloat16"},
    {DType::complex32, "kComplexHalf"},
    {DType::float8_e5m2, "kFloat8_e5m2"},
    {DType::float8_e4m3fn, "kFloat8_e4m3fn"},
    {DType::float8_e8m0fnu, "kFloat8_e8m0fnu"},
};

std::string list_type(const Type& element, Flavour flavour) {
    const bool symbolic = flavour == Flavour::sym && element.symbolic();
    switch (element.kind()) {
        case Kind::integer:
        case Kind::never:
            return symbolic ? "expr::Sizes" : "expr::Ints";
        case Kind::floating:
            return "expr::Floats";
        case Kind::boolean:
            return symbolic ? "expr::SymBools" : "expr::Bools";
        case Kind::string:
            return "expr::Strings";
        case Kind::dtype:
            return "expr::DTypes";
        case Kind::list:
            if (element.is_list_of(Kind::integer)) {
                return symbolic ? "expr::SizeLists" : "expr::IntLists";
            }
            break;
        default:
            break;
    }
    return fmt::format("{}<{}>", flavour == Flavour::graph ? "expr::List" : "std::vector",
                       cpp_type(element, flavour));
}

}  // namespace

std::string cpp_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            result += fmt::format("\\{:03o}", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string cpp_float(double value) {
    std::string text = fmt::format("{}", value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string cpp_dtype(DType dtype, Flavour flavour) {
    if (flavour != Flavour::sym) {
        return fmt::format("expr::DType::{}",
                           dtype == DType::boolean ? "boolean" : opweld::expr::dtype_name(dtype));
    }
    const auto* const found = std::find_if(std::begin(scalar_types), std::end(scalar_types),
                                           [&](const auto& entry) { return entry.first == dtype; });
    return fmt::format("at::{}", found->second);
}

std::string cpp_identifier(std::string_view name) {
    const bool keyword = std::find(cpp_keywords.begin(), cpp_keywords.end(), name) != cpp_keywords.end();
    return std::string(name) + (keyword ? "_" : "");
}

std::string cpp_type(const Type& type, Flavour flavour) {
    const bool symbolic = flavour == Flavour::sym && type.symbolic();
    const auto choose = [flavour](std::string_view sym, std::string_view host, std::string_view graph) {
        return std::string(flavour == Flavour::sym ? sym : flavour == Flavour::host ? host : graph);
    };
    switch (type.kind()) {
        case Kind::integer:
        case Kind::never:
            return choose(symbolic ? "c10::SymInt" : "int64_t", "expr::Int", "expr::Int");
        case Kind::floating:
            return choose("double", "double", "expr::Float");
        case Kind::boolean:
            return choose(symbolic ? "c10::SymBool" : "bool", "bool", "expr::Bool");
        case Kind::string:
            return choose("std::string", "std::string", "expr::String");
        case Kind::dtype:
            return choose("at::ScalarType", "expr::DType", "expr::DTypeValue");
        case Kind::scalar:
            return choose("at::Scalar", "expr::Scalar", "expr::Scalar");
        case Kind::tensor:
            return choose("at::Tensor", "expr::Tensor", "expr::Tensor");
        case Kind::none:
            return "std::nullopt_t";
        case Kind::list:
            return list_type(type.element(), flavour);
        case Kind::optional:
            return fmt::format("std::optional<{}>", cpp_type(type.element(), flavour));
        case Kind::opaque:
        case Kind::error:
            break;
    }
    throw std::invalid_argument("no C++ type for " + type.name());
}

}  // namespace opweld::spec::expr
