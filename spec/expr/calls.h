// Typing rules of operators and functions, on nodes whose children are typed.
#pragma once

#include "spec/expr/ast.h"
#include "spec/expr/conversion.h"

namespace opweld::spec::expr {

void check_arithmetic(Node& node, Report& report);  // kinds arithmetic and negate
void check_comparison(Node& node, Report& report);
void check_call(Node& node, Report& report);

}  // namespace opweld::spec::expr
