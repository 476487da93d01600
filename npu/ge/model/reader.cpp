#include "npu/ge/model/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>

#include "npu/ge/model/messages.h"

namespace opweld::npu::graph {
namespace {

bool is_data(const Node& node) { return node.type == "Data" || node.type == "RefData"; }

using Names = std::unordered_map<std::string_view, int>;

Names index_names(const RawGraph& raw) {
    Names names;
    for (size_t i = 0; i < raw.nodes.size(); ++i) {
        const Node& node = raw.nodes[i].node;
        if (node.name.empty()) {
            throw GraphError(fmt::format("node {} of type '{}' has no name", i, node.type));
        }
        if (node.type.empty()) {
            throw GraphError(fmt::format("node '{}' has no type", node.name));
        }
        if (!names.emplace(node.name, static_cast<int>(i)).second) {
            throw GraphError(fmt::format("two nodes have the name '{}'", node.name));
        }
    }
    return names;
}

// "producer:output" with names that may contain colons.
void connect(RawNode& raw, const RawGraph& graph, const Names& names) {
    for (const std::string& edge : raw.inputs) {
        if (edge.empty()) {
            raw.node.inputs.push_back({});
            continue;
        }
        const std::string where = fmt::format("node '{}', input '{}'", raw.node.name, edge);
        const size_t colon = edge.rfind(':');
        int output = 0;
        const char* end = edge.data() + edge.size();
        if (colon == std::string::npos ||
            std::from_chars(edge.data() + colon + 1, end, output) !=
                std::from_chars_result{end, std::errc{}} ||
            output < -1) {
            throw GraphError(where + ": an input is 'producer:number'");
        }
        const auto producer = names.find(std::string_view(edge).substr(0, colon));
        if (producer == names.end()) {
            throw GraphError(where + ": there is no such node");
        }
        if (output == -1) {
            raw.node.after.push_back(producer->second);
            continue;
        }
        const size_t outputs = graph.nodes[static_cast<size_t>(producer->second)].node.outputs.size();
        if (static_cast<size_t>(output) >= outputs) {
            throw GraphError(fmt::format("{}: that node has {} outputs", where, outputs));
        }
        raw.node.inputs.push_back({.node = producer->second, .output = output});
    }
    Node& node = raw.node;
    if (is_data(node) && node.inputs.empty()) {
        node.input_infos.clear();  // describes the graph's input once more
    }
    if (node.input_infos.size() != node.inputs.size()) {
        throw GraphError(fmt::format("node '{}' of type '{}' has {} inputs, but {} input descriptions",
                                     node.name, node.type, node.inputs.size(), node.input_infos.size()));
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const bool fed = node.inputs[i].node >= 0;
        if (fed == node.input_infos[i].unfed) {
            throw GraphError(fmt::format("node '{}', input {} ('{}'): {}", node.name, i,
                                         node.input_infos[i].name,
                                         fed ? "it is fed, but its description says that it is left out"
                                             : "nothing feeds it, but its description does not say so"));
        }
    }
}

// The order in which nodes run: each behind its producers, otherwise as in the model.
std::vector<int> sorted(const std::vector<RawNode>& nodes) {
    const auto count = nodes.size();
    std::vector<std::vector<int>> followers(count);
    std::vector<int> missing(count, 0);
    const auto add = [&](int producer, size_t consumer) {
        followers[static_cast<size_t>(producer)].push_back(static_cast<int>(consumer));
        ++missing[consumer];
    };
    for (size_t i = 0; i < count; ++i) {
        for (const Source& source : nodes[i].node.inputs) {
            if (source.node >= 0) {
                add(source.node, i);
            }
        }
        for (const int before : nodes[i].node.after) {
            add(before, i);
        }
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i) {
        if (missing[i] == 0) {
            ready.push(static_cast<int>(i));
        }
    }
    std::vector<int> order;
    while (!ready.empty()) {
        const int node = ready.top();
        ready.pop();
        order.push_back(node);
        for (const int follower : followers[static_cast<size_t>(node)]) {
            if (--missing[static_cast<size_t>(follower)] == 0) {
                ready.push(follower);
            }
        }
    }
    if (order.size() != count) {
        const auto left = std::ranges::find_if(missing, [](int inputs) { return inputs > 0; });
        throw GraphError(fmt::format("the graph has a cycle: node '{}' depends on itself",
                                     nodes[static_cast<size_t>(left - missing.begin())].node.name));
    }
    return order;
}

void check_constant(const Node& node) {
    const auto* value = attribute<Constant>(node.attributes, "value");
    const std::string where = fmt::format("node '{}' of type {}", node.name, node.type);
    if (value == nullptr) {
        throw GraphError(where + " has no attribute 'value' with a tensor");
    }
    const size_t size = element_size(value->info.dtype);
    if (size == 0) {
        throw GraphError(
            fmt::format("{}: constants of dtype {} are not supported", where, dtype_name(value->info.dtype)));
    }
    size_t bytes = size;
    for (const int64_t dim : value->info.shape) {
        if (dim < 0) {
            throw GraphError(
                fmt::format("{}: its shape {} is not known", where, shape_text(value->info.shape)));
        }
        if (dim != 0 && bytes > std::numeric_limits<int64_t>::max() / static_cast<size_t>(dim)) {
            throw GraphError(fmt::format("{}: shape {} is too large", where, shape_text(value->info.shape)));
        }
        bytes *= static_cast<size_t>(dim);
    }
    if (value->bytes->size() < bytes) {
        throw GraphError(fmt::format("{}: {} of shape {} needs {} bytes, but it has {}", where,
                                     dtype_name(value->info.dtype), shape_text(value->info.shape), bytes,
                                     value->bytes->size()));
    }
}

void find_ends(Graph& graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (is_data(node)) {
            const auto* index = attribute<int64_t>(node.attributes, "index");
            if (index == nullptr || *index < 0 || *index >= static_cast<int64_t>(graph.nodes.size())) {
                throw GraphError(
                    fmt::format("node '{}' of type {} has no attribute 'index' with the place of the input",
                                node.name, node.type));
            }
            const auto place = static_cast<size_t>(*index);
            graph.data.resize(std::max(graph.data.size(), place + 1), -1);
            if (graph.data[place] >= 0) {
                throw GraphError(fmt::format("nodes '{}' and '{}' are both input {}",
                                             graph.nodes[static_cast<size_t>(graph.data[place])].name,
                                             node.name, place));
            }
            if (node.outputs.size() != 1) {
                throw GraphError(fmt::format("node '{}' of type {} has {} outputs; it has one", node.name,
                                             node.type, node.outputs.size()));
            }
            graph.data[place] = static_cast<int>(i);
        } else if (node.type == "NetOutput") {
            if (graph.net_output >= 0) {
                throw GraphError("the graph has two nodes of type NetOutput");
            }
            graph.net_output = static_cast<int>(i);
        } else if (node.type == "Const" || node.type == "Constant") {
            check_constant(node);
        }
    }
    const auto gap = std::ranges::find(graph.data, -1);
    if (gap != graph.data.end()) {
        throw GraphError(fmt::format("input {} has no node of type Data, but input {} has",
                                     gap - graph.data.begin(), graph.data.size() - 1));
    }
    if (graph.net_output < 0) {
        throw GraphError("the graph has no node of type NetOutput");
    }
}

// Gives nodes inside of a converter the origin of the only operator of PyTorch that uses what they compute.
void spread_origins(Graph& graph) {
    std::vector<std::set<std::string>> users(graph.nodes.size());
    for (size_t i = graph.nodes.size(); i-- > 0;) {
        Node& node = graph.nodes[i];
        if (is_data(node) || node.type == "Const") {
            continue;
        }
        if (users[i].size() == 1 && attribute<std::string>(node.attributes, kOrigin) == nullptr) {
            node.attributes.insert_or_assign(kOrigin, *users[i].begin());
        }
        const auto* origin = attribute<std::string>(node.attributes, kOrigin);
        for (const Source& source : node.inputs) {
            if (source.node >= 0 && origin != nullptr) {
                users[static_cast<size_t>(source.node)].insert(*origin);
            }
        }
    }
}

}  // namespace

Graph read_model(std::string_view bytes) {
    std::vector<RawGraph> graphs = read_graphs(bytes);
    if (graphs.empty()) {
        throw GraphError(fmt::format("the model of {} bytes has no graph", bytes.size()));
    }
    RawGraph& raw = graphs.front();
    const Names names = index_names(raw);
    for (RawNode& node : raw.nodes) {
        connect(node, raw, names);
    }
    const std::vector<int> order = sorted(raw.nodes);
    std::vector<int> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        place[static_cast<size_t>(order[i])] = static_cast<int>(i);
    }
    Graph graph{.name = raw.name, .nodes = {}, .data = {}, .attributes = std::move(raw.attributes)};
    for (const int index : order) {
        Node& node = graph.nodes.emplace_back(std::move(raw.nodes[static_cast<size_t>(index)].node));
        for (Source& source : node.inputs) {
            source.node = source.node < 0 ? -1 : place[static_cast<size_t>(source.node)];
        }
        for (int& before : node.after) {
            before = place[static_cast<size_t>(before)];
        }
    }
    find_ends(graph);
    spread_origins(graph);
    return graph;
}

}  // namespace opweld::npu::graph
