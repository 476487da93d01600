#include "spec/formula/python_names.h"

#include <algorithm>
#include <array>

namespace opweld::spec::formula {
namespace {

// Functions of torch.nn.functional whose positional arguments are those of the ATen function. Many others are
// not: batch_norm has another order, softmax and dropout have arguments between.
constexpr std::array<std::string_view, 10> functional{
    "elu", "hardtanh", "leaky_relu", "linear", "mish", "one_hot", "relu6", "selu", "silu", "softplus"};

// Likewise of torch.
constexpr std::array<std::string_view, 66> torch_functions{
    "abs",        "add",        "addmm",     "amax",      "amin",        "baddbmm",     "bmm",
    "cat",        "clamp",      "clamp_max", "clamp_min", "conv1d",      "conv2d",      "conv3d",
    "cos",        "cosh",       "cumsum",    "div",       "einsum",      "eq",          "erf",
    "exp",        "expm1",      "floor",     "full_like", "ge",          "gt",          "index_select",
    "le",         "log",        "log1p",     "log2",      "log_softmax", "logical_and", "logical_not",
    "logical_or", "logsumexp",  "lt",        "matmul",    "maximum",     "mean",        "minimum",
    "mm",         "mul",        "mv",        "ne",        "neg",         "ones_like",   "outer",
    "pow",        "reciprocal", "relu",      "rsqrt",     "sigmoid",     "sign",        "sin",
    "softmax",    "sqrt",       "stack",     "sub",       "sum",         "tanh",        "transpose",
    "tril",       "triu",       "where"};

constexpr std::string_view alpha[] = {"alpha"};
constexpr std::string_view beta_alpha[] = {"beta", "alpha"};
constexpr std::string_view dtype[] = {"dtype"};
constexpr std::string_view approximate[] = {"approximate"};
constexpr std::string_view rounding_mode[] = {"rounding_mode"};
constexpr std::string_view memory_format[] = {"memory_format"};

constexpr std::array<KeywordArguments, 20> keywords{{
    {"add", 2, alpha},
    {"sub", 2, alpha},
    {"rsub", 2, alpha},
    {"addmm", 3, beta_alpha},
    {"addmv", 3, beta_alpha},
    {"addr", 3, beta_alpha},
    {"addbmm", 3, beta_alpha},
    {"baddbmm", 3, beta_alpha},
    {"sum", 3, dtype},
    {"mean", 3, dtype},
    {"nansum", 3, dtype},
    {"prod", 3, dtype},
    {"cumsum", 2, dtype},
    {"cumprod", 2, dtype},
    {"gelu", 1, approximate},
    {"gelu_backward", 2, approximate},
    {"div", 2, rounding_mode},
    {"clone", 1, memory_format},
    {"contiguous", 1, memory_format},
    {"empty_like", 1, memory_format},
}};

constexpr std::array<PythonQuery, 8> queries{{
    {"sizes", ".shape"},
    {"sym_sizes", ".shape"},
    {"scalar_type", ".dtype"},
    {"dtype", ".dtype"},
    {"device", ".device"},
    {"sym_numel", ".numel()"},
    {"strides", ".stride()"},
    {"ndimension", ".dim()"},
}};

template <class Table>
bool has(const Table& table, std::string_view name) {
    return std::find(table.begin(), table.end(), name) != table.end();
}

}  // namespace

std::string python_function(std::string_view name) {
    if (has(functional, name)) {
        return "torch.nn.functional." + std::string(name);
    }
    if (has(torch_functions, name)) {
        return "torch." + std::string(name);
    }
    return "torch.ops.aten." + std::string(name);
}

std::optional<KeywordArguments> keyword_arguments(std::string_view function) {
    const auto* const found =
        std::find_if(keywords.begin(), keywords.end(),
                     [&](const KeywordArguments& entry) { return entry.function == function; });
    return found == keywords.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::string_view> python_query(std::string_view method) {
    const auto* const found = std::find_if(queries.begin(), queries.end(),
                                           [&](const PythonQuery& entry) { return entry.method == method; });
    return found == queries.end() ? std::nullopt : std::optional(found->python);
}

std::string_view python_method(std::string_view method) { return method == "sym_size" ? "size" : method; }

}  // namespace opweld::spec::formula
