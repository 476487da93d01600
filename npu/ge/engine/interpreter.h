// Runs a program node by node, for graphs in which a shape depends on what the graph computes.
#pragma once

#include <span>
#include <vector>

#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

// The outputs for CPU tensors. Throws GraphError with the node's name.
std::vector<at::Tensor> interpret(const Program& program, std::span<const at::Tensor> inputs);

}  // namespace opweld::npu::graph
