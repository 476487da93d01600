// The functions of the language.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace opweld::spec::expr {

enum class Function : std::uint8_t {
    len,
    min,
    max,
    sum,
    prod,
    range,
    abs,
    broadcast,
    promote,
    reduced,
    ceil_div,
    conv_out,
    dtype_of
};

struct FunctionInfo {
    Function function;
    std::string_view name;  // in the language, in the support headers and in the Python prelude
    int min_arguments;
    int max_arguments;  // -1: any number
    std::string_view usage;
    bool in_python;  // a built-in function of Python
};

std::span<const FunctionInfo> function_table();
const FunctionInfo& info(Function function);
std::optional<Function> find_function(std::string_view name);

}  // namespace opweld::spec::expr
