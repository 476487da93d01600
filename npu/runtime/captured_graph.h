// A captured graph (aclmdlRI, "model running instance"): the tasks that streams would have run, in the order
// in which they were put on them, to be run again and again as one task.
//
// The order of capture obeys every dependency, so the tasks run one after the other on one thread. A graph
// runs once at a time; a second run waits. It lives for as long as its handle or a run on a stream does. Safe
// from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "npu/runtime/handle_table.h"
#include "npu/runtime/interface.h"

namespace opweld::npu {

class Condition;

// Tasks that lie together in a graph and may be exchanged later.
struct TaskGroup {
    std::weak_ptr<class CapturedGraph> graph;
    std::vector<size_t> nodes;
};

struct GraphNode {
    enum class Kind : uint8_t { task, record, wait };
    Kind kind = Kind::task;
    int stream = 0;
    uint64_t event = 0;                    // records and waits: which record
    std::shared_ptr<Task> task = nullptr;  // null for records and waits, which the order makes true
    bool exchangeable = false;             // part of a group
};

class CapturedGraph : public std::enable_shared_from_this<CapturedGraph> {
  public:
    explicit CapturedGraph(int device);
    ~CapturedGraph();
    CapturedGraph(const CapturedGraph&) = delete;
    CapturedGraph& operator=(const CapturedGraph&) = delete;

    uint32_t id() const noexcept { return id_; }
    int device() const noexcept { return device_; }

    // Capture, between begin() and complete(). begin() raises the second time.
    void begin();
    void add(GraphNode node);
    size_t size() const noexcept { return nodes_.size(); }
    void* add_group(std::vector<size_t> nodes);
    void complete() noexcept { complete_.store(true, std::memory_order_release); }
    bool is_complete() const noexcept { return complete_.load(std::memory_order_acquire); }

    // A value in device memory that a conditional task reads; freed with the graph.
    void* add_condition(uint32_t initial, bool assign_at_launch);
    // A graph of its own that runs as a part of this one; the handle is the graph's.
    void* add_child();
    // The graph of which this one is a part, 0 where there is none.
    uint32_t parent() const noexcept { return parent_; }

    // Raises where the capture of a part has begun but did not succeed.
    void check_parts() const;

    // Exchanges the tasks of a group. Raises unless they are as many and of the same names.
    void exchange(const TaskGroup& group, std::vector<std::unique_ptr<Task>> tasks);

    // Runs all tasks, as a task of a stream. Throws the first failure with the task's name; the rest is left
    // out.
    void run();

    // What is known of the graph: a line per task; a JSON list of events in Chrome's trace format.
    std::string text() const;
    std::string json() const;

  private:
    std::shared_ptr<Task> task_of(const GraphNode& node) const;
    // Calls visit(graph, node, title) for all nodes, those of parts behind the graph's own.
    template <class Visit>
    void each_node(const Visit& visit) const;

    const uint32_t id_;
    const int device_;
    uint32_t parent_ = 0;
    std::vector<GraphNode> nodes_;
    size_t tasks_ = 0;
    std::atomic<bool> begun_{false};
    std::atomic<bool> complete_{false};
    std::vector<std::shared_ptr<CapturedGraph>> children_;
    std::vector<void*> handles_;     // of children
    std::vector<void*> conditions_;  // handles
    std::vector<void*> groups_;      // handles
    std::mutex running_;
    mutable std::mutex exchange_;  // guards the tasks of exchangeable nodes
};

// What a handle of a graph stands for.
struct GraphHandle {
    std::shared_ptr<CapturedGraph> graph;
};

HandleTable<GraphHandle>& graphs();
HandleTable<TaskGroup>& task_groups();

std::shared_ptr<CapturedGraph> graph_of(const void* handle);

// A graph whose capture has ended and that is no part of another one. Raises ACL_ERROR_RT_MODEL_CAPTURED or
// ACL_ERROR_RT_PARAM_INVALID.
std::shared_ptr<CapturedGraph> whole_graph_of(const void* handle);

// The task that runs a graph on a stream.
std::unique_ptr<Task> make_run(std::shared_ptr<CapturedGraph> graph);

}  // namespace opweld::npu
