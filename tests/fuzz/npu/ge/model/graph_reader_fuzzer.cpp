// Serialized models from arbitrary bytes: a graph that holds together, or an error with a text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "npu/ge/model/reader.h"

namespace {

using opweld::npu::graph::Graph;
using opweld::npu::graph::GraphError;
using opweld::npu::graph::Node;
using opweld::npu::graph::Source;

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void check(const Graph& graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        require(node.input_infos.size() == node.inputs.size());
        for (const Source& source : node.inputs) {
            require(source.node < static_cast<int>(i));
            require(source.node < 0 || static_cast<size_t>(source.output) <
                                           graph.nodes[static_cast<size_t>(source.node)].outputs.size());
        }
    }
    for (const int data : graph.data) {
        require(data >= 0 && static_cast<size_t>(data) < graph.nodes.size());
    }
    require(graph.net_output >= 0 && static_cast<size_t>(graph.net_output) < graph.nodes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        check(opweld::npu::graph::read_model({reinterpret_cast<const char*>(data), size}));
    } catch (const GraphError& error) {
        require(!std::string_view(error.what()).empty());
    }
    return 0;
}
