// The update of a task group: what is put on a stream takes the place of the group's tasks when the update
// ends.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "npu/runtime/captured_graph.h"
#include "npu/runtime/recorder.h"

namespace opweld::npu {

class TaskUpdate final : public Recorder, public std::enable_shared_from_this<TaskUpdate> {
  public:
    // Raises where the stream is recorded already, or the group's graph is gone or still being captured.
    static void begin(Stream& stream, const void* group);
    // Raises unless the new tasks are as many and of the same kinds; the group then is as it was.
    void end(Stream& stream);

    void task(Stream& stream, std::unique_ptr<Task> task) override;
    std::shared_ptr<RecordedPoint> record(Stream& stream) override;
    void wait(Stream& stream, const std::shared_ptr<Mark>& mark) override;
    [[noreturn]] void refuse_wait(const Stream& stream, const char* action) override;
    void forget(Stream& stream) noexcept override;

  private:
    TaskUpdate(TaskGroup group, std::shared_ptr<CapturedGraph> graph);

    const TaskGroup group_;
    const std::shared_ptr<CapturedGraph> graph_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace opweld::npu
