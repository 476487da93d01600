// Reads a serialized model (a protobuf message ge.proto.ModelDef) into a Graph.
#pragma once

#include <string_view>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

// The attribute of a node that names the operator of PyTorch whose result it gives; the reader adds it.
constexpr const char* kOrigin = "_opweld_origin";

// The first graph of the model. The bytes may come from anywhere: whatever they are, either a graph that
// holds together (edges between existing outputs, no cycle, one NetOutput, Data with indices 0 to n - 1,
// sizes of constants that fit) comes back, or a GraphError says what is wrong and where.
Graph read_model(std::string_view bytes);

}  // namespace opweld::npu::graph
