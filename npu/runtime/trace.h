// OPWELD_TRACE=FILE: what the process does, as events of Chrome's trace format (chrome://tracing, Perfetto).
//
// Each process writes a file of its own: "%p" in the name is its number; without that it is put before the
// ending (trace.json: trace.123.json). Each event is written when it ends, by one system call, so that the
// file of a killed process holds all that it has done; the format allows the missing bracket at its end.
// Host threads and streams are the tracks. Safe from any thread; nothing here fails: a file that can't be
// written is told once, and tracing ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "npu/runtime/operators.h"

namespace opweld::npu {

// Where a stream's events go.
struct Track {
    int device;
    int stream;
};

class Trace {
  public:
    // The one question where nothing is traced.
    static bool on() noexcept { return on_.load(std::memory_order_relaxed); }

    // Spans of the calling thread, from `start` (steady_nanoseconds) until now.
    static void call(std::string_view function, const std::string& arguments, int64_t start) noexcept;
    static void operation(std::string_view name, int64_t start) noexcept;

    // Spans and points of a stream. `error` is empty for a task that went well; `start` is 0 for a wait that
    // needed none.
    static void task(Track track, const Task& task, int64_t start, std::string_view error) noexcept;
    static void wait(Track track, int64_t start) noexcept;
    // A task of a captured graph: on the track of the stream whose task runs on this thread.
    static void task_of_graph(const Task& task, int64_t start) noexcept;
    static void set_track(Track track) noexcept { track_ = track; }
    static void record(Track track) noexcept;

  private:
    friend struct TraceSwitch;
    static inline std::atomic<bool> on_{false};
    static inline thread_local Track track_{0, 0};
};

// The name of the file for a process.
std::string trace_path(std::string_view pattern, int process);

// Whether calls of this C function are told: those that ask for something small and at once are not.
bool is_traced(std::string_view function) noexcept;

// A call of a C function, from construction to destruction.
class CallSpan {
  public:
    explicit CallSpan(const char* function) noexcept;
    ~CallSpan() {
        if (start_ != 0) [[unlikely]] {
            Trace::call(function_, arguments, start_);
        }
    }
    CallSpan(const CallSpan&) = delete;
    CallSpan& operator=(const CallSpan&) = delete;

    std::string arguments{};  // as the log shows them

  private:
    const char* function_;
    int64_t start_ = 0;
};

}  // namespace opweld::npu
