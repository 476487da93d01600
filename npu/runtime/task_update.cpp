#include "npu/runtime/task_update.h"

#include <utility>

#include "npu/runtime/error.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {

TaskUpdate::TaskUpdate(TaskGroup group, std::shared_ptr<CapturedGraph> graph)
    : group_(std::move(group)), graph_(std::move(graph)) {}

void TaskUpdate::begin(Stream& stream, const void* group) {
    // A copy: a pin of the handle must not outlive the graph, which ends it.
    TaskGroup known = *task_groups().get(group);
    auto graph = known.graph.lock();
    if (graph == nullptr) {
        raise(kRtInvalidHandle, "the graph of task group {} was destroyed", fmt::ptr(group));
    }
    if (!graph->is_complete()) {
        raise(kRtModelCaptured, "graph {} is still being captured: its tasks can be updated afterwards",
              graph->id());
    }
    stream.start_recording(std::shared_ptr<TaskUpdate>(new TaskUpdate(std::move(known), std::move(graph))));
}

void TaskUpdate::end(Stream& stream) {
    const auto self = shared_from_this();
    stream.end_recording(*this);
    std::vector<std::unique_ptr<Task>> tasks;
    {
        const std::lock_guard lock(mutex_);
        tasks.swap(tasks_);
    }
    graph_->exchange(group_, std::move(tasks));
}

void TaskUpdate::task(Stream&, std::unique_ptr<Task> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
}

std::shared_ptr<RecordedPoint> TaskUpdate::record(Stream& stream) {
    raise(kStreamTaskGroupStatus, "an event is recorded on stream {} while a task group is updated there",
          stream.id());
}

void TaskUpdate::wait(Stream& stream, const std::shared_ptr<Mark>&) {
    raise(kStreamTaskGroupStatus, "stream {} waits for an event while a task group is updated there",
          stream.id());
}

void TaskUpdate::refuse_wait(const Stream& stream, const char* action) {
    raise(kStreamTaskGroupStatus, "stream {} can't be {} while a task group is updated there", stream.id(),
          action);
}

void TaskUpdate::forget(Stream& stream) noexcept { stream.end_recording(*this); }

}  // namespace opweld::npu
