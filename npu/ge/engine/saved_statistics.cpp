#include "npu/ge/engine/saved_statistics.h"

#include <algorithm>

namespace opweld::npu::graph {
namespace {

const Source* input_named(const Node& node, std::string_view name) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.input_infos[i].name == name && node.inputs[i].node >= 0) {
            return &node.inputs[i];
        }
    }
    return nullptr;
}

// Also behind casts of 16-bit statistics.
bool is_saved(const Graph& graph, const Source& source) {
    const Node* producer = &graph.nodes[static_cast<size_t>(source.node)];
    while (producer->type == "Cast" && producer->inputs[0].node >= 0) {
        producer = &graph.nodes[static_cast<size_t>(producer->inputs[0].node)];
    }
    return producer->type == "Data" || producer->type == "RefData" || producer->type == "BatchNormV3";
}

}  // namespace

void mark_saved_statistics(Graph& graph) {
    for (Node& node : graph.nodes) {
        if (node.type == "BatchNormV3") {
            const Source* running = input_named(node, "running_mean");
            if (running != nullptr && graph.nodes[static_cast<size_t>(running->node)].type == "TensorMove") {
                node.type = "BatchNormV3InOrderOfAten";
            }
        }
        if (node.type != "BNTrainingReduceGrad") {
            continue;
        }
        const Source* statistics = input_named(node, "batch_variance");
        if (statistics == nullptr || !is_saved(graph, *statistics)) {
            continue;
        }
        node.type = "BNTrainingReduceGradOfRstd";
        for (const std::string_view name : {"diff_scale", "diff_offset"}) {
            const Source* source = input_named(node, name);
            if (source == nullptr) {
                continue;
            }
            Node& gradients = graph.nodes[static_cast<size_t>(source->node)];
            if (gradients.type == "BNTrainingUpdateGrad" || gradients.type == "BN3DTrainingUpdateGrad") {
                gradients.type = "BNTrainingUpdateGradOfRstd";
            }
        }
    }
}

}  // namespace opweld::npu::graph
