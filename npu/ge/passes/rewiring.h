// Edges of a program, changed in the graph and in the bound nodes alike.
#pragma once

#include <vector>

#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

// Who reads `from` reads `to` instead. Returns the number of edges.
size_t redirect(Program& program, Source from, Source to);

// Nodes that write into an input, or of whose results somebody does.
std::vector<bool> touched_by_writes(const Program& program);

// The only source of input `input` of a node.
inline const Source& only(const BoundNode& node, size_t input) { return node.inputs[input].front(); }

// Takes nodes away that are marked; their outputs must have no readers that stay.
void erase_nodes(Program& program, const std::vector<bool>& marked);

}  // namespace opweld::npu::graph
