// The messages of a serialized model, field by field, without checks across messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {

// A node as it stands in the model: its edges are still names.
struct RawNode {
    Node node;
    std::vector<std::string> inputs;  // "producer:output", "producer:-1" for a control edge, "" for none
};

struct RawGraph {
    std::string name;
    std::vector<RawNode> nodes;
    Attributes attributes;
};

// The message ModelDef's graphs. Throws GraphError.
std::vector<RawGraph> read_graphs(std::string_view bytes);

}  // namespace opweld::npu::graph
