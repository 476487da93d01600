#include "npu/ge/engine/interpreter.h"

#include <fmt/format.h>

#include "npu/ge/engine/guarded.h"
#include "npu/kernels/scope.h"

namespace opweld::npu::graph {
namespace {

using Tensors = std::vector<std::vector<at::Tensor>>;  // by node and output

Call call_of(const Program& program, size_t node, const Tensors& tensors) {
    const BoundNode& bound = program.nodes[node];
    std::vector<Argument> arguments;
    for (const auto& sources : bound.inputs) {
        Argument& argument = arguments.emplace_back();
        for (const Source& source : sources) {
            argument.tensors.push_back(
                tensors[static_cast<size_t>(source.node)][static_cast<size_t>(source.output)]);
            argument.sources.push_back(source);
        }
        argument.values = argument.tensors;
    }
    return {*bound.op, program.graph.nodes[node], std::move(arguments), bound.attributes};
}

std::vector<int> last_readers(const Graph& graph) {
    std::vector<int> last(graph.nodes.size(), -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const Source& source : graph.nodes[i].inputs) {
            if (source.node >= 0) {
                last[static_cast<size_t>(source.node)] = static_cast<int>(i);
            }
        }
    }
    return last;
}

}  // namespace

std::vector<at::Tensor> interpret(const Program& program, std::span<const at::Tensor> inputs) {
    const kernels::KernelScope scope;
    const Graph& graph = program.graph;
    const std::vector<int> last = last_readers(graph);
    Tensors tensors(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (is_data(node)) {
            tensors[i].push_back(inputs[static_cast<size_t>(*attribute<int64_t>(node.attributes, "index"))]);
        } else if (program.nodes[i].constant.defined()) {
            tensors[i].push_back(program.nodes[i].constant);
        } else if (program.nodes[i].op != nullptr) {
            Call call = call_of(program, i, tensors);
            guarded_run(call, [&] {
                Results results = call.op().compute(call);
                tensors[i].assign(results.begin(), results.end());
            });
        }
        for (const Source& source : node.inputs) {
            if (source.node >= 0 && last[static_cast<size_t>(source.node)] == static_cast<int>(i) &&
                static_cast<int>(i) != graph.net_output) {
                tensors[static_cast<size_t>(source.node)].clear();
            }
        }
    }
    std::vector<at::Tensor> outputs;
    for (const Source& source : graph.nodes[static_cast<size_t>(graph.net_output)].inputs) {
        outputs.push_back(tensors[static_cast<size_t>(source.node)][static_cast<size_t>(source.output)]);
    }
    return outputs;
}

}  // namespace opweld::npu::graph
