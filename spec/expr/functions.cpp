#include "spec/expr/functions.h"

#include <algorithm>
#include <array>

namespace opweld::spec::expr {
namespace {

constexpr std::array<FunctionInfo, 13> table{{
    {Function::len, "len", 1, 1, "len(list)", true},
    {Function::min, "min", 1, -1, "min(a, b, ...) or min(list)", true},
    {Function::max, "max", 1, -1, "max(a, b, ...) or max(list)", true},
    {Function::sum, "sum", 1, 1, "sum(list)", true},
    {Function::prod, "prod", 1, 1, "prod(list)", false},
    {Function::range, "range", 1, 3, "range(stop), range(start, stop) or range(start, stop, step)", true},
    {Function::abs, "abs", 1, 1, "abs(number)", true},
    {Function::broadcast, "broadcast", 1, -1, "broadcast(shape_or_tensor, ...)", false},
    {Function::promote, "promote", 1, -1, "promote(tensor_or_dtype_or_number, ...)", false},
    {Function::reduced, "reduced", 3, 3, "reduced(shape, dims, keepdim)", false},
    {Function::ceil_div, "ceil_div", 2, 2, "ceil_div(a, b)", false},
    {Function::conv_out, "conv_out", 5, 5, "conv_out(size, kernel, stride, padding, dilation)", false},
    {Function::dtype_of, "dtype_of", 1, 1, "dtype_of(code)", false},
}};

}  // namespace

std::span<const FunctionInfo> function_table() { return table; }

const FunctionInfo& info(Function function) { return table[static_cast<std::size_t>(function)]; }

std::optional<Function> find_function(std::string_view name) {
    const auto* const found = std::find_if(
        table.begin(), table.end(), [&](const FunctionInfo& candidate) { return candidate.name == name; });
    return found == table.end() ? std::nullopt : std::optional(found->function);
}

}  // namespace opweld::spec::expr
