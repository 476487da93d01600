// What torchair's converters of batch normalizations expect of operators beyond their prototypes.
#pragma once

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

// Gives such nodes types of their own.
// The gradient in training hands what the forward pass saved, 1 / sqrt(variance + epsilon), to operators
// whose input is the variance: a BNTrainingReduceGrad whose statistics come from outside of the graph or from
// a BatchNormV3, and the node that its parameters' gradients come from. Elsewhere, as in the gradient of a
// group normalization, the input is the variance.
// The functional forward pass, whose BatchNormV3 gets copies of the running statistics, takes the outputs in
// ATen's order: what was saved first, then the new running statistics.
void mark_saved_statistics(Graph& graph);

}  // namespace opweld::npu::graph
