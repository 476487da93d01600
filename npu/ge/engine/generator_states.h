// Which inputs of a graph are states of random generators.
#pragma once

#include <vector>

#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

// For each Data node: whether its values are the state of a generator, which is another one in each run.
// Nothing but random operators reads it, and they do when they run: no plan depends on it.
std::vector<bool> generator_states(const Program& program);

}  // namespace opweld::npu::graph
