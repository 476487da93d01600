// The functions of the language on concrete values.
#pragma once

#include <vector>

#include "spec/expr/functions.h"
#include "spec/expr/value.h"

namespace opweld::spec::expr {

// The arguments have the types that the checker demands. Throws opweld::expr::Error where there is no value.
Value call_builtin(Function function, const std::vector<Value>& arguments);

}  // namespace opweld::spec::expr
