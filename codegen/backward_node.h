// The autograd node of an operator that has a backward: an operator's, or formulas. Pure functions of the
// plan.
#ifndef OPWELD_CODEGEN_BACKWARD_NODE_H
#define OPWELD_CODEGEN_BACKWARD_NODE_H

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/plan.h"

namespace opweld::codegen {

struct BackwardNode {
    std::string node_class;    // class <Camel>Backward
    std::string save;          // statements that fill a new `node` from the arguments
    std::string save_outputs;  // statements after the outputs are known and have their history
};

// The operator's backward is not BackwardNone.
BackwardNode backward_node(const OperatorPlan& plan, const PackagePlan& package);

// Outputs that take a place in the node's inputs: all tensors.
std::vector<std::size_t> tensor_outputs(const OperatorPlan& plan);

}  // namespace opweld::codegen

#endif
