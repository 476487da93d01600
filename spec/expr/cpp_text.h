// Pieces of C++ text.
#pragma once

#include <string>
#include <string_view>

#include "opweld/expr/dtype.h"
#include "spec/expr/emit.h"

namespace opweld::spec::expr {

std::string cpp_string(std::string_view text);  // a string literal
std::string cpp_float(double value);            // a literal of type double
std::string cpp_dtype(opweld::expr::DType dtype, Flavour flavour);

// `name`, or `name_` where the name is a keyword of C++.
std::string cpp_identifier(std::string_view name);

}  // namespace opweld::spec::expr
