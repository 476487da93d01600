// Events: points of a stream that other streams and the host wait for.
//
// An event stands for its latest record. Each record makes a new Mark, which whoever waits keeps hold of, so
// an event may be recorded again, reset or destroyed while others still wait for an earlier record. Safe from
// any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "npu/runtime/handle_table.h"

namespace opweld::npu {

// The error of a task, which one synchronisation reports: of its stream, its device, or an event behind it.
struct TaskError {
    int code;
    std::string message;  // constant once others may see the error
    std::atomic<bool> reported{false};

    TaskError(int error_code, std::string text) : code(error_code), message(std::move(text)) {}
};

// What a stream's thread sleeps on: its lock, and the condition that there is something to do.
struct Wakeup {
    std::mutex mutex;
    std::condition_variable ready;
};

// Where in a recording a record of an event stands; see capture.h.
class RecordedPoint;

// One record of an event: done once the stream has passed it. One that was recorded into a graph is never
// done.
class Mark {
  public:
    Mark() = default;
    explicit Mark(std::shared_ptr<RecordedPoint> point) noexcept : recorded_point_(std::move(point)) {}

    // Null but for a record that went into a graph.
    const std::shared_ptr<RecordedPoint>& recorded_point() const noexcept { return recorded_point_; }

    bool done() const noexcept { return done_.load(std::memory_order_acquire); }
    // Nanoseconds of the steady clock at which the mark was passed; 0 before.
    int64_t time() const noexcept { return time_; }

    // `error`: what the stream had failed with when it came here, if it had.
    void complete(std::shared_ptr<TaskError> error = nullptr);

    // The error to report to who synchronises with the mark; null where there is none, or another
    // synchronisation has reported it.
    std::shared_ptr<TaskError> take_error() noexcept;

    // Waits on the calling thread. False when `timeout` milliseconds (negative: no limit) passed before.
    bool wait(int32_t timeout);

    // Has `wakeup` notified when the mark is done. False if it is already (nothing is notified then).
    bool notify(const std::shared_ptr<Wakeup>& wakeup);

  private:
    std::atomic<bool> done_{false};
    int64_t time_ = 0;  // written before done_, as is error_
    std::shared_ptr<TaskError> error_;
    const std::shared_ptr<RecordedPoint> recorded_point_;
    std::mutex mutex_;
    std::condition_variable passed_;
    std::vector<std::shared_ptr<Wakeup>> wakeups_;
};

class Event {
  public:
    // `reusable` events (aclrtCreateEventEx…) are as CUDA's: waiting for one that was never recorded does
    // nothing. The others wait for the record to come.
    Event(uint32_t flags, bool reusable);

    uint32_t flags() const noexcept { return flags_; }
    // Of a graph's edge to the outside: its record and waits happen when the graph runs.
    bool external() const noexcept { return (flags_ & kEventExternal) != 0; }
    bool timed() const noexcept { return (flags_ & kEventTimeline) != 0; }
    bool reusable() const noexcept { return reusable_; }

    // The mark for a record that is being put on a stream now.
    std::shared_ptr<Mark> record();
    // A record that goes into a graph, at this point of it.
    void record(std::shared_ptr<RecordedPoint> point);
    // What a wait must wait for; null where there is nothing to wait for.
    std::shared_ptr<Mark> mark() const;
    // Whether record() was called since creation or reset.
    bool recorded() const;
    // Forgets the record.
    void reset();

  private:
    const uint32_t flags_;
    const bool reusable_;
    mutable std::mutex mutex_;
    std::shared_ptr<Mark> mark_;
    bool recorded_ = false;
};

HandleTable<Event>& events();

// Destroys an event. Raises ACL_ERROR_RT_INVALID_HANDLE as events().get() does.
void destroy_event(const void* event);

// What a stream must wait for that waits for the event; null where there is nothing. A reusable event may
// have been destroyed just before: a program with a queue of calls per device, as torch_npu has, destroys it
// on one queue while the wait is still in another. Raises as events().get() does for what no event was
// lately.
std::shared_ptr<Mark> mark_to_wait_for(const void* event);

int64_t steady_nanoseconds() noexcept;

}  // namespace opweld::npu
