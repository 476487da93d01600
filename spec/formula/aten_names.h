// The names of ATen's functions and of a tensor's methods, from the headers of the torch that opweld is built
// with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opweld::spec::formula {

struct AtenName {
    std::string_view name;
    bool tensor;  // all its overloads return one tensor
};

// nullptr if there is none of that name.
const AtenName* find_aten_function(std::string_view name);
const AtenName* find_tensor_method(std::string_view name);

std::vector<std::string> aten_functions();
std::vector<std::string> tensor_methods();

}  // namespace opweld::spec::formula
