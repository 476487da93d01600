// Checking of a parsed formula: names, constants, optional values.
#pragma once

#include <string_view>
#include <vector>

#include "spec/expr/type.h"
#include "spec/formula/ast.h"

namespace opweld::spec::formula {

// Completes the tree (Node::value, Node::present) and appends all faults to `errors`.
void check(Node& root, std::string_view text, const expr::Scope& scope,
           std::vector<expr::Diagnostic>& errors);

}  // namespace opweld::spec::formula
