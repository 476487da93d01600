#include "npu/ge/passes/rewiring.h"

#include <algorithm>

namespace opweld::npu::graph {

size_t redirect(Program& program, Source from, Source to) {
    size_t edges = 0;
    const auto change = [&](Source& source) {
        if (source == from) {
            source = to;
            ++edges;
        }
    };
    for (Node& node : program.graph.nodes) {
        std::ranges::for_each(node.inputs, change);
    }
    for (BoundNode& node : program.nodes) {
        for (auto& sources : node.inputs) {
            for (Source& source : sources) {
                source = source == from ? to : source;
            }
        }
    }
    return edges;
}

std::vector<bool> touched_by_writes(const Program& program) {
    std::vector<bool> touched(program.nodes.size(), false);
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        if (program.nodes[i].op == nullptr || !program.nodes[i].op->mutates) {
            continue;
        }
        touched[i] = true;
        for (const Source& source : program.graph.nodes[i].inputs) {
            if (source.node >= 0) {
                touched[static_cast<size_t>(source.node)] = true;
            }
        }
    }
    return touched;
}

void erase_nodes(Program& program, const std::vector<bool>& marked) {
    std::vector<int> place(program.nodes.size(), -1);
    std::vector<Node> nodes;
    std::vector<BoundNode> bound;
    for (size_t i = 0; i < marked.size(); ++i) {
        if (!marked[i]) {
            place[i] = static_cast<int>(nodes.size());
            nodes.push_back(std::move(program.graph.nodes[i]));
            bound.push_back(std::move(program.nodes[i]));
        }
    }
    const auto moved = [&](int node) { return node < 0 ? -1 : place[static_cast<size_t>(node)]; };
    for (Node& node : nodes) {
        for (Source& source : node.inputs) {
            source.node = moved(source.node);
        }
        std::vector<int> after;
        for (const int before : node.after) {
            if (moved(before) >= 0) {
                after.push_back(moved(before));
            }
        }
        node.after = std::move(after);
    }
    for (BoundNode& node : bound) {
        for (auto& sources : node.inputs) {
            for (Source& source : sources) {
                source.node = moved(source.node);
            }
        }
    }
    for (int& data : program.graph.data) {
        data = moved(data);
    }
    program.graph.net_output = moved(program.graph.net_output);
    program.graph.nodes = std::move(nodes);
    program.nodes = std::move(bound);
}

}  // namespace opweld::npu::graph
