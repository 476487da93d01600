// How ATen's functions and methods are called in Python.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opweld::spec::formula {

// torch.nn.functional.linear, torch.matmul, torch.ops.aten.native_layer_norm: the function that takes the
// arguments of at::<name> in their order.
std::string python_function(std::string_view name);

// Arguments that C++ gives by position and Python by keyword only. Positions count the tensor of a method.
struct KeywordArguments {
    std::string_view function;
    std::size_t first;  // the position of the first of them
    std::span<const std::string_view> names;
};
std::optional<KeywordArguments> keyword_arguments(std::string_view function);

// Methods without arguments that are attributes in Python, or bear another name there.
struct PythonQuery {
    std::string_view method;
    std::string_view python;  // ".shape"
};
std::optional<std::string_view> python_query(std::string_view method);

// Methods with arguments whose name differs in Python; their own name otherwise.
std::string_view python_method(std::string_view method);

}  // namespace opweld::spec::formula
