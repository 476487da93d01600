// Operators of vendor packages, for the graph engine.
#pragma once

#include <memory>

#include "npu/ge/operators/operator.h"

namespace opweld::npu::graph {

// The operator of a node's type, from a registered prototype library and the aclnn function `aclnn<Type>` of
// a vendor package; null where no library has registered the type. Throws GraphError where there is a
// prototype but no function.
std::shared_ptr<const Operator> find_foreign(const Node& node);

}  // namespace opweld::npu::graph
