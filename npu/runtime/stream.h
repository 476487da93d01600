// A stream: tasks, event records and waits that run in the order in which they were put on it.
//
// A stream costs no thread until it needs one. Where it is idle, a task runs on the thread that brings it
// (unless OPWELD_STREAMS=async); a wait for an event that is not passed yet, and whatever follows it, is left
// to the stream's own thread, which sleeps while there is nothing to do.
//
// A task that throws leaves its error on the stream; the next synchronisation of the stream, its device or an
// event recorded behind the task reports it, once; one of stream or device clears it. Until then a stream
// that stops on failure drops its tasks (event records still happen, so nobody waits forever).
//
// While a recorder has the stream, run() hands tasks to it. Safe from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "npu/runtime/core_limits.h"
#include "npu/runtime/event.h"
#include "npu/runtime/handle_table.h"
#include "npu/runtime/interface.h"
#include "npu/runtime/recorder.h"

namespace opweld::npu {

class Stream {
  public:
    Stream(int id, int device, const void* context, uint32_t priority, uint32_t flags, bool inline_when_idle);
    // Drops what is still queued and joins the thread.
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    int id() const noexcept { return id_; }
    int device() const noexcept { return device_; }
    const void* context() const noexcept { return context_; }
    uint32_t priority() const noexcept { return priority_; }
    uint32_t flags() const noexcept { return flags_; }

    // `anywhere` tasks may run on the calling thread; others (host callbacks) run on the stream's own thread.
    void run(std::unique_ptr<Task> task, bool anywhere = true);
    // A whole graph, on the stream's own thread: to put many tasks on a stream then costs the caller as
    // little as one hand-over, and the graph may wait for what the caller does next. No recorder takes it,
    // and faults on purpose hit its tasks instead.
    void run_graph(std::unique_ptr<Task> task);
    void record(std::shared_ptr<Mark> mark);
    void wait(std::shared_ptr<Mark> mark);

    // Who takes the stream's work; null where it runs.
    std::shared_ptr<Recorder> recorder() const;
    // Gives the stream's work to a recorder. Raises where one has it already.
    void start_recording(std::shared_ptr<Recorder> recorder);
    // Gives it back, if this recorder has it.
    void end_recording(const Recorder& recorder) noexcept;

    // The context's own stream, which can't be recorded.
    void become_default() noexcept { default_.store(true, std::memory_order_relaxed); }
    bool is_default() const noexcept { return default_.load(std::memory_order_relaxed); }

    // The task that the calling thread runs for a stream waits in its place. Raises the error of a wait that
    // takes too long, or of an aborted stream.
    static void wait_in_task(const std::shared_ptr<Mark>& mark);
    // Raises if the stream whose task the calling thread runs was aborted since the task began.
    static void leave_if_aborted();

    // Whether a graph that is captured from the stream keeps what is known about its operators.
    void set_cache_op_info(bool on) noexcept { cache_op_info_.store(on, std::memory_order_relaxed); }
    bool cache_op_info() const noexcept { return cache_op_info_.load(std::memory_order_relaxed); }

    CoreLimits& core_limits() noexcept { return core_limits_; }
    const CoreLimits& core_limits() const noexcept { return core_limits_; }

    // Waits while more than `kMostAhead` items have not run yet: who brings work faster than it runs would
    // fill the host's memory, and nobody could wait for its end. A task of the stream itself does not wait.
    void wait_for_room();
    static constexpr uint64_t kMostAhead = 256;

    // Waits until all that is on the stream now has run. Raises the stream's error if there is one, or
    // `timeout_code` after `timeout` milliseconds (negative: no limit).
    void synchronise(int32_t timeout);
    // Waits like synchronise() but neither reports nor clears an error; false on timeout.
    bool drain(int32_t timeout);
    // The stream's error, cleared; null where there is none, or an event has reported it.
    std::shared_ptr<TaskError> take_error();

    bool idle() const noexcept {
        return completed_.load(std::memory_order_acquire) == submitted_.load(std::memory_order_acquire);
    }

    // Drops all that is queued; records count as passed. What runs now goes on. Leaves `code` as the stream's
    // error if something was dropped.
    void abort(int code);

    void set_failure_mode(uint64_t mode) noexcept { stop_on_failure_.store(mode == kStopOnFailure); }
    uint64_t failure_mode() const noexcept {
        return stop_on_failure_.load() ? kStopOnFailure : kContinueOnFailure;
    }

    // How long streams of the process wait for an event, in milliseconds; 0 is without limit. Longer is an
    // error of the stream, and the wait ends.
    static void set_wait_limit(uint32_t milliseconds) noexcept { wait_limit_.store(milliseconds); }

    // Raises if the calling thread is running one of this stream's own tasks: `action` would wait for itself.
    void refuse_own_task(const char* action) const;

  private:
    enum class Kind : uint8_t { task, record, wait };
    struct Item {
        Kind kind;
        bool anywhere;
        std::unique_ptr<Task> task;
        std::shared_ptr<Mark> mark;
        int64_t waiting_since = 0;  // Kind::wait: when it came to the front
    };

    void submit(Item item);
    void execute(Item& item);
    void run_task(Task& task);
    std::shared_ptr<TaskError> present_error();
    void keep_error(int code, std::string message);
    void sleep_before_front(std::unique_lock<std::mutex>& lock);
    void finish_item(std::unique_lock<std::mutex>& lock);
    void work();

    const int id_;
    const int device_;
    const void* context_;
    const uint32_t priority_;
    const uint32_t flags_;
    const bool inline_when_idle_;

    const std::shared_ptr<Wakeup> wakeup_;  // its mutex guards all that follows
    std::condition_variable progress_;
    std::deque<Item> queue_;
    std::thread worker_;
    bool running_ = false;  // some thread executes an item
    bool stopping_ = false;
    uint32_t waiting_ = 0;  // threads in drain()
    std::shared_ptr<TaskError> error_;
    uint64_t further_errors_ = 0;
    std::atomic<uint64_t> submitted_{0};
    std::atomic<uint64_t> completed_{0};
    std::atomic<bool> failed_{false};
    std::atomic<bool> stop_on_failure_{false};
    std::shared_ptr<Recorder> recorder_;
    std::atomic<bool> recorded_{false};  // recorder_ is set
    std::atomic<bool> default_{false};
    std::atomic<bool> cache_op_info_{false};
    std::atomic<uint64_t> aborts_{0};
    CoreLimits core_limits_;

    static inline std::atomic<uint32_t> wait_limit_{0};
};

HandleTable<Stream>& streams();

}  // namespace opweld::npu
