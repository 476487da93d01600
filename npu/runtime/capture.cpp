#include "npu/runtime/capture.h"

#include <algorithm>
#include <atomic>

#include "npu/runtime/condition.h"
#include "npu/runtime/error.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {
namespace {

thread_local CaptureMode thread_mode = CaptureMode::global;
std::atomic<uint64_t> next_event{1};

// All captures that are under way.
class Captures {
  public:
    static Captures& instance() {
        static auto& captures = *new Captures;
        return captures;
    }
    static bool any() noexcept { return count_.load(std::memory_order_relaxed) != 0; }

    void add(std::shared_ptr<Capture> capture) {
        const std::lock_guard lock(mutex_);
        all_.push_back(std::move(capture));
        count_.store(all_.size(), std::memory_order_relaxed);
    }
    void remove(const Capture& capture) noexcept {
        std::shared_ptr<Capture> removed;  // goes without the lock
        const std::lock_guard lock(mutex_);
        const auto found =
            std::ranges::find(all_, &capture, [](const auto& each) -> const Capture* { return each.get(); });
        if (found != all_.end()) {
            removed = std::move(*found);
            all_.erase(found);
        }
        count_.store(all_.size(), std::memory_order_relaxed);
    }
    std::shared_ptr<Capture> prohibiting() const {
        const std::lock_guard lock(mutex_);
        const auto found =
            std::ranges::find_if(all_, [](const auto& each) { return each->prohibits_here(); });
        return found == all_.end() ? nullptr : *found;
    }

  private:
    static inline std::atomic<size_t> count_{0};
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<Capture>> all_;
};

void merge(CaptureClock& into, const CaptureClock& from) {
    for (const auto& [stream, count] : from) {
        size_t& known = into[stream];
        known = std::max(known, count);
    }
}

}  // namespace

CaptureMode checked_mode(int mode) {
    if (mode < static_cast<int>(CaptureMode::global) || mode > static_cast<int>(CaptureMode::relaxed)) {
        raise(kRtParamInvalid, "{} is no mode of a capture: 0 (global), 1 (thread-local) and 2 (relaxed) are",
              mode);
    }
    return static_cast<CaptureMode>(mode);
}

CaptureMode exchange_thread_mode(CaptureMode mode) noexcept { return std::exchange(thread_mode, mode); }

Capture::Capture(std::shared_ptr<CapturedGraph> graph, void* handle, CaptureMode mode, int origin)
    : graph_(std::move(graph)), handle_(handle), mode_(mode), origin_(origin), part_(graph_->parent() != 0) {}

void Capture::begin(Stream& stream, void* graph, CaptureMode mode) {
    if (stream.is_default()) {
        raise(kRtStreamCaptureImplicit,
              "the default stream of a context can't be captured: create a stream for it");
    }
    auto known = graph_of(graph);
    const std::shared_ptr<Capture> capture(new Capture(known, graph, mode, stream.id()));
    capture->members_.emplace(stream.id(), Member{.stream = &stream, .seen = {}});
    stream.start_recording(capture);
    try {
        known->begin();
    } catch (...) {
        stream.end_recording(*capture);
        throw;
    }
    Captures::instance().add(capture);
}

void* Capture::end(Stream& stream) {
    if (stream.id() != origin_) {
        raise(kRtStreamCaptureUnmatched,
              "stream {} joined the capture of stream {}, which is the one that can end it", stream.id(),
              origin_);
    }
    if (mode_ != CaptureMode::relaxed && thread_ != std::this_thread::get_id()) {
        raise(kRtStreamCaptureWrongThread,
              "the capture of stream {} began on another thread: it ends on that one, unless its mode is "
              "relaxed",
              origin_);
    }
    const auto self = shared_from_this();
    Captures::instance().remove(*this);
    const std::lock_guard lock(mutex_);
    leave_streams();
    try {
        require_active();
        check_joined();
        graph_->check_parts();
    } catch (...) {
        status_ = CaptureStatus::none;
        drop_graph();
        throw;
    }
    status_ = CaptureStatus::none;
    graph_->complete();
    graph_.reset();
    return handle_;
}

void Capture::check_joined() {
    const Member& origin = members_.at(origin_);
    for (const auto& [id, member] : members_) {
        if (member.group_open) {
            raise(kStreamTaskGroupInterrupted,
                  "a task group is still open on stream {}: call aclmdlRICaptureTaskGrpEnd before the end of "
                  "the "
                  "capture",
                  id);
        }
        const auto known = origin.seen.find(id);
        if (id != origin_ && member.tasks > (known == origin.seen.end() ? 0 : known->second)) {
            raise(kRtStreamUnjoined,
                  "stream {} joined the capture of stream {}, which does not wait for its last {} tasks: "
                  "record an "
                  "event behind them and let stream {} wait for it before the end",
                  id, origin_, member.tasks - (known == origin.seen.end() ? 0 : known->second), origin_);
        }
    }
}

void Capture::leave_streams() noexcept {
    for (auto& [id, member] : members_) {
        member.stream->end_recording(*this);
    }
}

// A part goes with the graph to which it belongs.
void Capture::drop_graph() noexcept {
    graph_.reset();
    if (!part_) {
        try {
            graphs().remove(handle_);
        } catch (const AclException& error) {
            write_log(LogLevel::error, "ACL", error.what());
        }
    }
}

CaptureStatus Capture::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

Capture::Member& Capture::member(const Stream& stream) {
    const auto found = members_.find(stream.id());
    if (found == members_.end()) {
        raise(kRtStreamNotCaptured, "stream {} is not captured any more", stream.id());
    }
    return found->second;
}

void Capture::require_active() const {
    if (status_ == CaptureStatus::invalidated) {
        raise(kRtStreamCaptureInvalidated, "the capture of stream {} is void since this call: {}", origin_,
              reason_);
    }
    if (status_ == CaptureStatus::none) {
        raise(kRtStreamNotCaptured, "the capture of stream {} has ended", origin_);
    }
    if (part_ && !graphs().live(handle_)) {
        raise(kRtStreamCaptureInvalidated,
              "the graph that stream {} is captured into is a part of graph {}, which is gone", origin_,
              graph_->parent());
    }
}

Capture::Member* Capture::usable_member(const Stream& stream) {
    if (status_ == CaptureStatus::invalidated && on_other_thread()) {
        return nullptr;
    }
    require_active();
    return &member(stream);
}

void Capture::invalidate(int code, const std::string& reason) noexcept {
    if (status_ == CaptureStatus::active) {
        status_ = CaptureStatus::invalidated;
        reason_ = fmt::format("{} [{}]", reason, code_name(code));
    }
}

void Capture::refuse(int code, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    invalidate(code, reason);
    throw AclException(code, reason);
}

void Capture::refuse_here(int code, const std::string& reason) {
    if (!on_other_thread()) {
        refuse(code, reason);
    }
    const std::lock_guard lock(mutex_);
    invalidate(code, reason);
    write_log(LogLevel::error, "ACL", fmt::format("a capture is void: {}", reason));
}

void Capture::task(Stream& stream, std::unique_ptr<Task> task) {
    const std::lock_guard lock(mutex_);
    Member* member = usable_member(stream);
    if (member == nullptr) {
        return;
    }
    if (member->group_open) {
        member->group.push_back(graph_->size());
    }
    graph_->add({.stream = stream.id(), .task = std::move(task)});
    member->seen[stream.id()] = ++member->tasks;
}

std::shared_ptr<RecordedPoint> Capture::record(Stream& stream) {
    const std::lock_guard lock(mutex_);
    const Member* member = usable_member(stream);
    const uint64_t number = next_event.fetch_add(1, std::memory_order_relaxed);
    graph_->add({.kind = GraphNode::Kind::record, .stream = stream.id(), .event = number});
    return std::make_shared<RecordedPoint>(shared_from_this(), number,
                                           member == nullptr ? CaptureClock() : member->seen);
}

void Capture::wait(Stream& stream, const std::shared_ptr<Mark>& mark) {
    if (mark == nullptr) {
        return;
    }
    const auto& point = mark->recorded_point();
    if (point == nullptr) {
        return refuse_here(
            kRtCaptureDependency,
            fmt::format(
                "stream {}, which is captured, can't wait for an event that was recorded outside the "
                "capture: synchronise before the capture begins, or record the event on a stream that "
                "has joined the capture",
                stream.id()));
    }
    if (point->capture.get() != this) {
        return refuse_here(
            kStreamCaptureConflict,
            fmt::format("stream {} waits for an event that was recorded in another capture", stream.id()));
    }
    const std::lock_guard lock(mutex_);
    Member* member = usable_member(stream);
    if (member == nullptr) {
        return;
    }
    merge(member->seen, point->clock);
    graph_->add({.kind = GraphNode::Kind::wait, .stream = stream.id(), .event = point->number});
}

void Capture::join(Stream& stream, const RecordedPoint& point) {
    if (stream.is_default()) {
        refuse(
            kRtStreamCaptureImplicit,
            "the default stream of a context waits for an event that was recorded in a capture, but can't be "
            "captured");
    }
    const std::lock_guard lock(mutex_);
    if (status_ == CaptureStatus::none) {
        raise(
            kRtEventCaptured,
            "the event was recorded in a capture that has ended: it happens inside the graph only; record it "
            "again outside");
    }
    if (!on_other_thread()) {
        require_active();
    }
    stream.start_recording(shared_from_this());
    members_.insert_or_assign(stream.id(), Member{.stream = &stream, .seen = point.clock});
    graph_->add({.kind = GraphNode::Kind::wait, .stream = stream.id(), .event = point.number});
}

// As on the device, the capture goes on.
void Capture::refuse_wait(const Stream& stream, const char* action) {
    raise(kRtStreamCaptured, "stream {} can't be {} while it is captured: its tasks don't run", stream.id(),
          action);
}

bool Capture::takes_pageable(const char* function) {
    if (mode_ == CaptureMode::relaxed) {
        return true;
    }
    refuse_here(
        kRtCaptureModeBlockAsync,
        fmt::format("{} of host memory that is not pinned returns after the copy only, which can't be "
                    "while the stream is captured: use pinned memory (tensor.pin_memory())",
                    function));
    return false;
}

void Capture::forget(Stream& stream) noexcept {
    const auto self = shared_from_this();
    const bool whole = stream.id() == origin_;
    if (whole) {
        Captures::instance().remove(*this);
    }
    const std::lock_guard lock(mutex_);
    if (status_ == CaptureStatus::none) {
        return;
    }
    try {
        invalidate(kRtStreamCaptured, fmt::format("stream {} was destroyed", stream.id()));
    } catch (const std::bad_alloc&) {
        status_ = CaptureStatus::invalidated;
    }
    if (whole) {
        leave_streams();
        status_ = CaptureStatus::none;
        drop_graph();
    } else {
        stream.end_recording(*this);
        members_.erase(stream.id());
    }
}

void Capture::begin_group(Stream& stream) {
    const std::lock_guard lock(mutex_);
    require_active();
    Member& member = this->member(stream);
    if (member.group_open) {
        raise(kStreamTaskGroupStatus, "a task group is open on stream {} already: end it first", stream.id());
    }
    member.group_open = true;
    member.group.clear();
}

void* Capture::end_group(Stream& stream) {
    const std::lock_guard lock(mutex_);
    require_active();
    Member& member = this->member(stream);
    if (!member.group_open) {
        raise(kStreamTaskGroupStatus,
              "no task group is open on stream {}: call aclmdlRICaptureTaskGrpBegin first", stream.id());
    }
    member.group_open = false;
    return graph_->add_group(std::exchange(member.group, {}));
}

void Capture::add_conditional(Stream& stream, void* condition, int kind, uint32_t parts, void** handles) {
    const auto value = *conditions().get(condition);
    if (kind < static_cast<int>(ConditionKind::if_else) ||
        kind > static_cast<int>(ConditionKind::switch_case)) {
        raise(kRtParamInvalid, "{} is no kind of conditional task: 0 (if), 1 (while) and 2 (switch) are",
              kind);
    }
    const auto known = static_cast<ConditionKind>(kind);
    const uint32_t most = known == ConditionKind::if_else ? 2 : known == ConditionKind::while_loop ? 1 : 1024;
    if (parts == 0 || parts > most) {
        raise(kRtParamInvalid, "a conditional task of kind {} has from 1 to {} parts, not {}", kind, most,
              parts);
    }
    std::vector<std::shared_ptr<CapturedGraph>> graphs_of_parts;
    {
        const std::lock_guard lock(mutex_);
        require_active();
        if (value->graph() != graph_->id()) {
            raise(kRtParamInvalid,
                  "the condition was made for graph {}, the stream is captured into graph {}", value->graph(),
                  graph_->id());
        }
        for (uint32_t i = 0; i < parts; ++i) {
            handles[i] = graph_->add_child();
            graphs_of_parts.push_back(graph_of(handles[i]));
        }
    }
    task(stream, make_conditional(known, value, std::move(graphs_of_parts)));
}

bool Capture::prohibits_here() const noexcept {
    if (mode_ == CaptureMode::relaxed || thread_mode == CaptureMode::relaxed) {
        return false;
    }
    return thread_ == std::this_thread::get_id() ||
           (mode_ == CaptureMode::global && thread_mode == CaptureMode::global);
}

std::shared_ptr<Capture> capture_of(const Stream& stream) {
    return std::dynamic_pointer_cast<Capture>(stream.recorder());
}

void refuse_in_capture(const char* call, int code) {
    if (!Captures::any()) [[likely]] {
        return;
    }
    if (const auto capture = Captures::instance().prohibiting()) {
        capture->refuse(code,
                        fmt::format("{} is not possible while a stream is captured (the mode of the capture "
                                    "forbids it to this thread)",
                                    call));
    }
}

void refuse_in_capture(const char* call) { refuse_in_capture(call, kRtCaptureModeNotSupported); }

void refuse_captured(const Mark* mark, const char* action) {
    if (mark != nullptr && mark->recorded_point() != nullptr) {
        raise(kRtEventCaptured,
              "the event was recorded in a capture: it happens inside the graph only and can't be {}",
              action);
    }
}

void refuse_wait_for(const Stream& stream, const char* action) {
    if (const auto recorder = stream.recorder()) {
        recorder->refuse_wait(stream, action);
    }
}

}  // namespace opweld::npu
