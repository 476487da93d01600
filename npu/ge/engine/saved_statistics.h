// torchair's gradient of a batch normalization hands what the forward pass saved, 1 / sqrt(variance +
// epsilon), to operators whose input is the variance.
#pragma once

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

// Gives such nodes the types that read the reciprocal: a BNTrainingReduceGrad whose statistics come from
// outside of the graph or from a BatchNormV3, and the node that its parameters' gradients come from.
// Elsewhere, as in the gradient of a group normalization, the input is the variance.
void mark_saved_statistics(Graph& graph);

}  // namespace opweld::npu::graph
