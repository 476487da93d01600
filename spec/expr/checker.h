// Type checking: completes the parser's tree with types, implicit conversions and folded constants.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "spec/expr/ast.h"

namespace opweld::spec::expr {

// Appends all faults to `errors`. The tree is fit for use only where there are none.
void check(NodePtr& root, std::string_view text, const Scope& scope, const std::optional<Type>& expected,
           std::vector<Diagnostic>& errors);

}  // namespace opweld::spec::expr
