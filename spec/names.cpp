#include "spec/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "spec/expr/expression.h"
#include "spec/torch_npu_operators.h"

namespace opweld::spec {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char to_upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
char to_lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

constexpr auto kCppKeywords = std::to_array<std::string_view>(
    {"alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
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
     "xor_eq"});

constexpr auto kPythonKeywords = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});

constexpr auto kReservedPackages = std::to_array<std::string_view>(
    {"acl", "at", "aten", "c10", "ge", "numpy", "op_plugin", "pip", "scikit_build_core", "setuptools", "std",
     "torch", "torch_npu", "torchair"});

}  // namespace

bool is_identifier(std::string_view text) {
    return !text.empty() && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string_view keyword_of(std::string_view word) {
    const bool cpp = std::find(kCppKeywords.begin(), kCppKeywords.end(), word) != kCppKeywords.end();
    const bool python =
        std::find(kPythonKeywords.begin(), kPythonKeywords.end(), word) != kPythonKeywords.end();
    return cpp && python ? "C++ and Python" : cpp ? "C++" : python ? "Python" : "";
}

bool is_reserved_package(std::string_view name) {
    return name.starts_with("opweld") ||
           std::find(kReservedPackages.begin(), kReservedPackages.end(), name) != kReservedPackages.end();
}

std::string OperatorName::qualified() const {
    return ns + "::" + name + (overload.empty() ? "" : "." + overload);
}

OperatorName split_operator_name(std::string_view text) {
    OperatorName result{"npu", "", ""};
    if (const std::size_t colons = text.find("::"); colons != std::string_view::npos) {
        result.ns = std::string(text.substr(0, colons));
        text = text.substr(colons + 2);
    }
    const std::size_t dot = text.find('.');
    result.name = std::string(text.substr(0, dot));
    if (dot != std::string_view::npos) {
        result.overload = std::string(text.substr(dot + 1));
    }
    return result;
}

std::string default_ge_op(const OperatorName& name) {
    std::string_view text = name.name;
    if (text.starts_with("npu_") && text.size() > 4) {
        text.remove_prefix(4);
    }
    std::string result;
    bool upper = true;
    for (const char c : std::string(text) + "_" + name.overload) {
        if (c == '_') {
            upper = true;
            continue;
        }
        result += upper ? to_upper(c) : c;
        upper = false;
    }
    return result.empty() || is_digit(result.front()) ? "Op" + result : result;
}

std::string operator_name_of_ge_op(std::string_view ge_op) {
    std::string result = "npu_";
    for (std::size_t at = 0; at < ge_op.size(); ++at) {
        const bool upper = is_upper(ge_op[at]);
        const bool after_lower = at > 0 && !is_upper(ge_op[at - 1]) && !is_digit(ge_op[at - 1]);
        const bool before_lower = at > 0 && at + 1 < ge_op.size() && is_upper(ge_op[at - 1]) &&
                                  std::islower(static_cast<unsigned char>(ge_op[at + 1])) != 0;
        const bool after_digit =
            at > 1 && is_digit(ge_op[at - 1]) && at + 1 < ge_op.size() && !is_upper(ge_op[at + 1]);
        if (upper && (after_lower || before_lower || after_digit) && result.back() != '_') {
            result += '_';
        }
        result += to_lower(ge_op[at]);
    }
    return result;
}

bool is_torch_npu_operator(std::string_view name) {
    return std::binary_search(std::begin(kTorchNpuOperators), std::end(kTorchNpuOperators), name);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kMost = 500;  // comparing is slow, and among so many something is always near
    const auto nearest = candidates.size() > kMost ? std::nullopt : expr::nearest_name(word, candidates);
    return nearest ? fmt::format("did you mean '{}'?", *nearest) : "";
}

std::string count_of(std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string join_words(const std::vector<std::string>& words, std::string_view last) {
    if (words.size() < 2) {
        return words.empty() ? "" : words.front();
    }
    return fmt::format("{} {} {}", fmt::join(words.begin(), words.end() - 1, ", "), last, words.back());
}

}  // namespace opweld::spec
