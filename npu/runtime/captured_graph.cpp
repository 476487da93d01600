#include "npu/runtime/captured_graph.h"

#include <algorithm>
#include <utility>

#include "npu/runtime/condition.h"
#include "npu/runtime/error.h"
#include "npu/runtime/failures.h"
#include "npu/runtime/faults.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {
namespace {

constexpr int kNoStream = -1;  // a graph does not know which stream runs it

// 0 is no graph.
std::atomic<uint32_t> next_id{1};

class Run final : public Task {
  public:
    explicit Run(std::shared_ptr<CapturedGraph> graph)
        : graph_(std::move(graph)), name_(fmt::format("captured graph {}", graph_->id())) {}
    void run() override { graph_->run(); }
    std::string_view name() const noexcept override { return name_; }
    int device() const noexcept override { return graph_->device(); }

  private:
    std::shared_ptr<CapturedGraph> graph_;
    std::string name_;
};

template <class T>
void forget(HandleTable<T>& table, const std::vector<void*>& handles) {
    for (const void* handle : handles) {
        if (table.live(handle)) {
            table.remove(handle);
        }
    }
}

}  // namespace

HandleTable<GraphHandle>& graphs() {
    static auto& table = *new HandleTable<GraphHandle>("captured graph", kRtResourceAllocation);
    return table;
}

HandleTable<TaskGroup>& task_groups() {
    static auto& table = *new HandleTable<TaskGroup>("task group", kRtResourceAllocation);
    return table;
}

std::shared_ptr<CapturedGraph> graph_of(const void* handle) { return graphs().get(handle)->graph; }

std::shared_ptr<CapturedGraph> whole_graph_of(const void* handle) {
    auto graph = graph_of(handle);
    if (graph->parent() != 0) {
        raise(kRtParamInvalid, "graph {} is a part of graph {}: it runs and ends with that", graph->id(),
              graph->parent());
    }
    if (!graph->is_complete()) {
        raise(kRtModelCaptured, "graph {} is still being captured: call aclmdlRICaptureEnd first",
              graph->id());
    }
    return graph;
}

std::unique_ptr<Task> make_run(std::shared_ptr<CapturedGraph> graph) {
    return std::make_unique<Run>(std::move(graph));
}

CapturedGraph::CapturedGraph(int device) : id_(next_id.fetch_add(1)), device_(device) {}

CapturedGraph::~CapturedGraph() {
    forget(task_groups(), groups_);
    forget(graphs(), handles_);
    forget(conditions(), conditions_);
}

void CapturedGraph::begin() {
    if (begun_.exchange(true)) {
        raise(kRtModelCaptured, "graph {} is being captured, or was captured, already", id_);
    }
}

void CapturedGraph::check_parts() const {
    for (const auto& child : children_) {
        if (child->begun_ && !child->is_complete()) {
            raise(kRtModelCaptured,
                  "graph {}, a part of graph {}, is still being captured, or its capture failed", child->id(),
                  id_);
        }
    }
}

void CapturedGraph::add(GraphNode node) {
    tasks_ += node.task != nullptr ? 1 : 0;
    nodes_.push_back(std::move(node));
}

void* CapturedGraph::add_group(std::vector<size_t> nodes) {
    for (const size_t node : nodes) {
        nodes_[node].exchangeable = true;
    }
    void* handle = task_groups().add(std::make_unique<TaskGroup>(weak_from_this(), std::move(nodes)));
    groups_.push_back(handle);
    return handle;
}

void* CapturedGraph::add_condition(uint32_t initial, bool assign_at_launch) {
    void* handle = conditions().add(std::make_unique<std::shared_ptr<Condition>>(
        std::make_shared<Condition>(device_, id_, initial, assign_at_launch)));
    conditions_.push_back(handle);
    return handle;
}

void* CapturedGraph::add_child() {
    auto child = std::make_shared<CapturedGraph>(device_);
    child->parent_ = id_;
    void* handle = graphs().add(std::make_unique<GraphHandle>(child));
    handles_.push_back(handle);
    children_.push_back(std::move(child));
    return handle;
}

void CapturedGraph::exchange(const TaskGroup& group, std::vector<std::unique_ptr<Task>> tasks) {
    const std::lock_guard lock(exchange_);
    const auto names = [](const auto& list, const auto& name) {
        std::string text;
        for (const auto& each : list) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", name(each));
        }
        return text;
    };
    const auto old_name = [this](size_t node) { return nodes_[node].task->name(); };
    const auto new_name = [](const std::unique_ptr<Task>& task) { return task->name(); };
    if (!std::ranges::equal(group.nodes, tasks, {}, old_name, new_name)) {
        raise(kStreamTaskGroupStatus,
              "the task group of graph {} has the tasks [{}], its update brings [{}]: as many of the same "
              "kinds are "
              "expected; the group is as it was",
              id_, names(group.nodes, old_name), names(tasks, new_name));
    }
    for (size_t i = 0; i < tasks.size(); ++i) {
        nodes_[group.nodes[i]].task = std::move(tasks[i]);
    }
}

std::shared_ptr<Task> CapturedGraph::task_of(const GraphNode& node) const {
    const std::lock_guard lock(exchange_);
    return node.task;
}

void CapturedGraph::run() {
    const std::lock_guard lock(running_);
    for (const void* handle : conditions_) {
        (*conditions().get(handle))->prepare();
    }
    size_t number = 0;
    for (const GraphNode& node : nodes_) {
        if (node.kind != GraphNode::Kind::task) {
            continue;
        }
        ++number;
        const std::shared_ptr<Task> held = node.exchangeable ? task_of(node) : nullptr;
        Task* task = held != nullptr ? held.get() : node.task.get();
        const int64_t start = Trace::on() ? steady_nanoseconds() : 0;
        const auto fail = [&](int code, std::string_view reason) {
            note_failed_task(*task, code, fmt::format("{}: {}", task->name(), reason), device_, kNoStream);
            raise(code, "{}: {} (task {} of {})", task->name(), reason, number, tasks_);
        };
        try {
            if (Faults::armed()) [[unlikely]] {
                Faults::instance().before_captured(*task);
            }
            task->run();
            if (start != 0) [[unlikely]] {
                Trace::task_of_graph(*task, start);
            }
        } catch (const AclException& error) {
            fail(error.code(), error.what());
        } catch (const std::bad_alloc&) {
            fail(kBadAlloc, "the host has no memory left");
        } catch (const std::exception& error) {
            fail(kRtAiCoreException, error.what());
        } catch (...) {
            fail(kRtAiCoreException, "an exception of unknown type was thrown");
        }
    }
}

}  // namespace opweld::npu
