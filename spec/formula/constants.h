// Constants that formulas may use: dtypes, reductions, memory formats.
#pragma once

#include <optional>
#include <string_view>

namespace opweld::spec::formula {

struct Constant {
    std::string_view name;  // without at::
    std::string_view python;
};

std::optional<Constant> find_constant(std::string_view name);

}  // namespace opweld::spec::formula
