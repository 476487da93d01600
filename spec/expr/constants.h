// Constant folding.
#pragma once

#include "spec/expr/ast.h"
#include "spec/expr/conversion.h"

namespace opweld::spec::expr {

// Replaces a scalar operation on literals by the literal it comes to; reports one that has no value. Emitted
// C++ so never computes with literals alone, whose types (`int`) would be too narrow.
void fold(NodePtr& node, Report& report);

}  // namespace opweld::spec::expr
