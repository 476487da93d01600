// Evaluation of a typed tree.
#pragma once

#include "spec/expr/ast.h"
#include "spec/expr/value.h"

namespace opweld::spec::expr {

// As `evaluate`, on a tree.
Value evaluate_tree(const Node& root, const Bindings& bindings);

}  // namespace opweld::spec::expr
