// The capture of a graph: from aclmdlRICaptureBegin to aclmdlRICaptureEnd, what is put on a stream goes into
// a graph and does not run. A stream that waits for an event which was recorded in the capture joins it, and
// must be waited for by the first stream before the end.
//
// Calls that would wait for work that does not run are refused. Those that touch memory at once are refused
// and spoil the capture: what is put on its streams afterwards is refused too, with the first reason, until
// the end says so. Which threads are refused depends on the mode of the capture and of the thread.
//
// To another thread than the one that captures, such as that of a program's own queue of calls, putting work
// on a stream returns no error: torch_npu's queue, for one, takes it for the end of the device. The work is
// dropped, and the end of the capture fails. Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "npu/runtime/captured_graph.h"
#include "npu/runtime/recorder.h"

namespace opweld::npu {

// Which threads may not make unsafe calls: all, the one that captures, none.
enum class CaptureMode : int { global = 0, thread_local_only = 1, relaxed = 2 };
CaptureMode checked_mode(int mode);

enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

class Capture;

// How far each stream of a capture had come, by the stream's id.
using CaptureClock = std::map<int, size_t>;

class RecordedPoint {
  public:
    RecordedPoint(std::shared_ptr<Capture> of, uint64_t event_number, CaptureClock at)
        : capture(std::move(of)), number(event_number), clock(std::move(at)) {}

    const std::shared_ptr<Capture> capture;
    const uint64_t number;  // unique in the process
    const CaptureClock clock;
};

class Capture final : public Recorder, public std::enable_shared_from_this<Capture> {
  public:
    // Starts to capture a stream into a graph. Raises where the stream is captured already or can't be.
    static void begin(Stream& stream, void* graph, CaptureMode mode);
    // Ends it: returns the graph's handle. Raises, with the graph gone, if the capture was invalidated or has
    // streams that nobody waits for.
    void* end(Stream& stream);

    CaptureStatus status() const;
    // The handle.
    void* graph() const noexcept { return handle_; }

    void task(Stream& stream, std::unique_ptr<Task> task) override;
    std::shared_ptr<RecordedPoint> record(Stream& stream) override;
    void wait(Stream& stream, const std::shared_ptr<Mark>& mark) override;
    [[noreturn]] void refuse_wait(const Stream& stream, const char* action) override;
    void forget(Stream& stream) noexcept override;

    // A wait for a point of this capture on a stream that is not captured: from now on it is.
    void join(Stream& stream, const RecordedPoint& point);

    // Whether an asynchronous copy of host memory that is not pinned, which would have to wait, is recorded;
    // if not, the capture is void, and on the thread that captures this raises.
    bool takes_pageable(const char* function);

    void begin_group(Stream& stream);
    void* end_group(Stream& stream);

    // Adds a conditional task and the graphs of its parts, whose handles come back.
    void add_conditional(Stream& stream, void* condition, int kind, uint32_t parts, void** handles);

    // Whether an unsafe call of the calling thread is to be refused.
    bool prohibits_here() const noexcept;
    [[noreturn]] void refuse(int code, const std::string& reason);

  private:
    struct Member {
        Stream* stream = nullptr;
        CaptureClock seen{};          // what its next task comes after, itself included
        size_t tasks = 0;             // its own
        std::vector<size_t> group{};  // nodes of the group that is open
        bool group_open = false;
    };

    Capture(std::shared_ptr<CapturedGraph> graph, void* handle, CaptureMode mode, int origin);

    Member& member(const Stream& stream);
    // Null where the work is to be dropped.
    Member* usable_member(const Stream& stream);
    bool on_other_thread() const noexcept { return thread_ != std::this_thread::get_id(); }
    // refuse(), or on another thread a note of it only.
    void refuse_here(int code, const std::string& reason);
    void require_active() const;
    void invalidate(int code, const std::string& reason) noexcept;
    void check_joined();
    void leave_streams() noexcept;
    void drop_graph() noexcept;

    std::shared_ptr<CapturedGraph> graph_;
    void* const handle_;
    const CaptureMode mode_;
    const int origin_;  // a stream's id
    const std::thread::id thread_ = std::this_thread::get_id();
    mutable std::mutex mutex_;
    std::map<int, Member> members_;
    CaptureStatus status_ = CaptureStatus::active;
    bool part_ = false;  // into a graph that is a part of another
    std::string reason_;
};

// The capture of which a stream is a member; null where there is none.
std::shared_ptr<Capture> capture_of(const Stream& stream);

// The calling thread's mode; the former one comes back.
CaptureMode exchange_thread_mode(CaptureMode mode) noexcept;

// Raises ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT (or another code), and spoils the capture, where a capture
// forbids the calling thread what `call` does. One atomic load where nothing is captured.
void refuse_in_capture(const char* call, int code);
void refuse_in_capture(const char* call);

// Puts a record of an event, or a wait for one, on a stream, be it captured or not.
void record_event(Stream& stream, void* event);
void wait_for_event(Stream& stream, void* event);
void reset_event(Stream& stream, void* event);

// Raises ACL_ERROR_RT_EVENT_CAPTURED where the event's latest record went into a graph.
void refuse_captured(const Mark* mark, const char* action);

// Raises if the program waits for a stream that is captured.
void refuse_wait_for(const Stream& stream, const char* action);

}  // namespace opweld::npu
