// What a captured graph shows of itself.
#include <nlohmann/json.hpp>

#include "npu/runtime/captured_graph.h"
#include "npu/runtime/error.h"

namespace opweld::npu {
namespace {

std::string title(const GraphNode& node, std::string_view task) {
    switch (node.kind) {
        case GraphNode::Kind::record:
            return fmt::format("EVENT_RECORD_{}", node.event);
        case GraphNode::Kind::wait:
            return fmt::format("EVENT_WAIT_{}", node.event);
        case GraphNode::Kind::task:
            break;
    }
    return std::string(task);
}

const char* type(GraphNode::Kind kind) {
    switch (kind) {
        case GraphNode::Kind::record:
            return "EVENT_RECORD";
        case GraphNode::Kind::wait:
            return "EVENT_WAIT";
        case GraphNode::Kind::task:
            break;
    }
    return "KERNEL";
}

}  // namespace

template <class Visit>
void CapturedGraph::each_node(const Visit& visit) const {
    for (const GraphNode& node : nodes_) {
        const std::shared_ptr<Task> task = task_of(node);
        visit(*this, node, title(node, task == nullptr ? std::string_view() : task->name()));
    }
    for (const auto& child : children_) {
        child->each_node(visit);
    }
}

std::string CapturedGraph::text() const {
    std::string text = fmt::format("captured graph {} of device {}: {} tasks", id_, device_, tasks_);
    each_node([&](const CapturedGraph& graph, const GraphNode& node, const std::string& name) {
        const std::string part =
            graph.parent() == 0 ? "" : fmt::format(" (graph {}, part of {})", graph.id(), graph.parent());
        text += fmt::format("\n  stream {}: {}{}", node.stream, name, part);
    });
    return text;
}

std::string CapturedGraph::json() const {
    nlohmann::json events = nlohmann::json::array();
    uint64_t number = 0;
    each_node([&](const CapturedGraph& graph, const GraphNode& node, const std::string& name) {
        events.push_back({{"name", name},
                          {"ph", "X"},
                          {"pid", fmt::format("device{}", device_)},
                          {"tid", fmt::format("stream{}", node.stream)},
                          {"ts", number},
                          {"dur", 1},
                          {"args",
                           {{"Model Id", graph.id()},
                            {"Stream Id", node.stream},
                            {"Task Id", number},
                            {"Task Type", type(node.kind)}}}});
        ++number;
    });
    return events.dump(1) + "\n";
}

}  // namespace opweld::npu
