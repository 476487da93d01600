#include "npu/runtime/stream.h"

#include <pthread.h>

#include <chrono>
#include <system_error>

#include "npu/runtime/capture.h"
#include "npu/runtime/error.h"
#include "npu/runtime/failures.h"
#include "npu/runtime/faults.h"
#include "npu/runtime/trace.h"

namespace opweld::npu {
namespace {

thread_local Stream* running_stream = nullptr;
thread_local uint64_t aborts_before_task = 0;

}  // namespace

HandleTable<Stream>& streams() {
    static auto& table = *new HandleTable<Stream>("stream", kRtNoStreamResource);
    return table;
}

Stream::Stream(int id, int device, const void* context, uint32_t priority, uint32_t flags,
               bool inline_when_idle)
    : id_(id),
      device_(device),
      context_(context),
      priority_(priority),
      flags_(flags),
      inline_when_idle_(inline_when_idle),
      wakeup_(std::make_shared<Wakeup>()) {}

Stream::~Stream() {
    abort(kSuccess);
    {
        const std::lock_guard lock(wakeup_->mutex);
        stopping_ = true;
        wakeup_->ready.notify_all();
    }
    if (worker_.joinable()) {
        worker_.join();
    }
    if (error_ != nullptr && !error_->reported) {
        write_always(fmt::format("stream {} ended with an error that no synchronisation reported: {}", id_,
                                 error_->message));
    }
}

void Stream::run(std::unique_ptr<Task> task, bool anywhere) {
    if (recorded_.load(std::memory_order_acquire)) [[unlikely]] {
        if (const auto recorder = this->recorder()) {
            recorder->task(*this, std::move(task));
            return;
        }
    }
    if (is_default()) {
        refuse_in_capture("work on the default stream of a context", kRtStreamCaptureImplicit);
    }
    if (Faults::armed() && Faults::instance().on_task(task) == Faults::Outcome::hangs) [[unlikely]] {
        wait(std::make_shared<Mark>());  // which nobody completes
    }
    submit({.kind = Kind::task,
            .anywhere = anywhere,
            .task = std::move(task),
            .mark = nullptr,
            .waiting_since = 0});
}

void Stream::run_graph(std::unique_ptr<Task> task) {
    submit({.kind = Kind::task,
            .anywhere = false,
            .task = std::move(task),
            .mark = nullptr,
            .waiting_since = 0});
}

void Stream::record(std::shared_ptr<Mark> mark) {
    submit({.kind = Kind::record,
            .anywhere = true,
            .task = nullptr,
            .mark = std::move(mark),
            .waiting_since = 0});
}

void Stream::wait(std::shared_ptr<Mark> mark) {
    if (mark == nullptr || mark->done()) {
        return;
    }
    submit({.kind = Kind::wait,
            .anywhere = false,
            .task = nullptr,
            .mark = std::move(mark),
            .waiting_since = 0});
}

void Stream::submit(Item item) {
    std::unique_lock lock(wakeup_->mutex);
    submitted_.fetch_add(1, std::memory_order_release);
    if (inline_when_idle_ && item.anywhere && !running_ && queue_.empty()) {
        running_ = true;
        lock.unlock();
        execute(item);
        lock.lock();
        finish_item(lock);
        return;
    }
    if (!worker_.joinable()) {
        try {
            worker_ = std::thread([this] { work(); });
        } catch (const std::system_error& error) {
            submitted_.fetch_sub(1, std::memory_order_release);
            raise(kRtResourceAllocation, "the host gives stream {} no thread: {}", id_, error.what());
        }
    }
    queue_.push_back(std::move(item));
    wakeup_->ready.notify_all();
}

void Stream::wait_for_room() {
    if (running_stream == this ||
        submitted_.load(std::memory_order_relaxed) - completed_.load(std::memory_order_relaxed) <
            kMostAhead) {
        return;
    }
    std::unique_lock lock(wakeup_->mutex);
    ++waiting_;
    progress_.wait(lock, [&] {
        return submitted_.load(std::memory_order_relaxed) - completed_.load(std::memory_order_relaxed) <
               kMostAhead;
    });
    --waiting_;
}

void Stream::finish_item(std::unique_lock<std::mutex>&) {
    running_ = false;
    completed_.fetch_add(1, std::memory_order_release);
    if (waiting_ > 0) {
        progress_.notify_all();
    }
    if (!queue_.empty()) {
        wakeup_->ready.notify_all();
    }
}

void Stream::work() {
    pthread_setname_np(pthread_self(), fmt::format("npu{}-s{}", device_, id_).substr(0, 15).c_str());
    std::unique_lock lock(wakeup_->mutex);
    while (true) {
        if (running_ || queue_.empty()) {
            if (stopping_ && !running_) {
                return;
            }
            wakeup_->ready.wait(lock);
            continue;
        }
        if (queue_.front().kind == Kind::wait && !queue_.front().mark->done()) {
            sleep_before_front(lock);
            continue;
        }
        Item item = std::move(queue_.front());
        queue_.pop_front();
        running_ = true;
        lock.unlock();
        execute(item);
        lock.lock();
        finish_item(lock);
    }
}

// Sleeps until the awaited event may have happened, the queue has changed, or the wait has taken too long.
void Stream::sleep_before_front(std::unique_lock<std::mutex>& lock) {
    Item& front = queue_.front();
    if (!front.mark->notify(wakeup_)) {
        return;
    }
    if (Trace::on() && front.waiting_since == 0) [[unlikely]] {
        front.waiting_since = steady_nanoseconds();
    }
    const uint32_t limit = wait_limit_.load(std::memory_order_relaxed);
    if (limit == 0) {
        wakeup_->ready.wait(lock);
        return;
    }
    if (front.waiting_since == 0) {
        front.waiting_since = steady_nanoseconds();
    }
    const int64_t left = front.waiting_since + int64_t{limit} * 1'000'000 - steady_nanoseconds();
    if (left > 0) {
        wakeup_->ready.wait_for(lock, std::chrono::nanoseconds(left));
        return;
    }
    // An event of its own that is done at once takes the place of the one that did not come.
    front.mark = std::make_shared<Mark>();
    front.mark->complete();
    keep_error(kRtWaitTimeout,
               fmt::format("stream {} waited {} ms for an event that did not happen", id_, limit));
}

void Stream::execute(Item& item) {
    Stream* outer = std::exchange(running_stream, this);
    const uint64_t outer_aborts = std::exchange(aborts_before_task, aborts_.load(std::memory_order_relaxed));
    switch (item.kind) {
        case Kind::task:
            if (!failed_.load(std::memory_order_relaxed) ||
                !stop_on_failure_.load(std::memory_order_relaxed)) {
                run_task(*item.task);
            }
            break;
        case Kind::record:
            item.mark->complete(present_error());
            if (Trace::on()) [[unlikely]] {
                Trace::record({device_, id_});
            }
            break;
        case Kind::wait:
            if (Trace::on()) [[unlikely]] {
                Trace::wait({device_, id_}, item.waiting_since);
            }
            break;
    }
    // A task ends before it counts as finished, and without the lock: its destructor is not ours.
    item.task.reset();
    running_stream = outer;
    aborts_before_task = outer_aborts;
}

void Stream::run_task(Task& task) {
    const int64_t start = Trace::on() ? steady_nanoseconds() : 0;
    if (start != 0) [[unlikely]] {
        Trace::set_track({device_, id_});
    }
    int code = kSuccess;
    std::string message;
    try {
        task.run();
        if (start != 0) [[unlikely]] {
            Trace::task({device_, id_}, task, start, "");
        }
        return;
    } catch (const AclException& thrown) {
        code = thrown.code();
        message = fmt::format("{}: {}", task.name(), thrown.what());
    } catch (const std::bad_alloc&) {
        code = kBadAlloc;
        message = fmt::format("{}: the host has no memory left", task.name());
    } catch (const std::exception& thrown) {
        code = kRtAiCoreException;
        message = fmt::format("{}: {}", task.name(), thrown.what());
    } catch (...) {
        code = kRtAiCoreException;
        message = fmt::format("{}: an exception of unknown type was thrown", task.name());
    }
    write_log(LogLevel::error, "ACL", fmt::format("task failed on stream {}: {}", id_, message));
    note_failed_task(task, code, message, device_, id_);
    if (start != 0) [[unlikely]] {
        Trace::task({device_, id_}, task, start, message);
    }
    const std::lock_guard lock(wakeup_->mutex);
    keep_error(code, std::move(message));
}

std::shared_ptr<TaskError> Stream::present_error() {
    if (!failed_.load(std::memory_order_relaxed)) {
        return nullptr;
    }
    const std::lock_guard lock(wakeup_->mutex);
    return error_;
}

void Stream::keep_error(int code, std::string message) {
    if (error_ != nullptr && !error_->reported) {
        ++further_errors_;
    } else {
        error_ = std::make_shared<TaskError>(code, std::move(message));
    }
    failed_.store(true, std::memory_order_relaxed);
}

bool Stream::drain(int32_t timeout) {
    if (idle()) {
        return true;
    }
    std::unique_lock lock(wakeup_->mutex);
    const uint64_t target = submitted_.load(std::memory_order_relaxed);
    const auto reached = [&] { return completed_.load(std::memory_order_relaxed) >= target; };
    ++waiting_;
    bool done = true;
    if (timeout < 0) {
        progress_.wait(lock, reached);
    } else {
        done = progress_.wait_for(lock, std::chrono::milliseconds(timeout), reached);
    }
    --waiting_;
    return done;
}

void Stream::synchronise(int32_t timeout) {
    refuse_own_task("synchronised");
    if (!drain(timeout)) {
        raise(kRtStreamSyncTimeout, "stream {} of device {} has not finished its work after {} ms", id_,
              device_, timeout);
    }
    if (const auto error = take_error()) {
        throw AclException(error->code, error->message);
    }
}

std::shared_ptr<TaskError> Stream::take_error() {
    if (!failed_.load(std::memory_order_acquire)) {
        return nullptr;
    }
    const std::lock_guard lock(wakeup_->mutex);
    std::shared_ptr<TaskError> error = std::exchange(error_, nullptr);
    const uint64_t further = std::exchange(further_errors_, 0);
    failed_.store(false, std::memory_order_relaxed);
    if (error == nullptr || error->reported.exchange(true)) {
        return nullptr;
    }
    if (further > 0) {
        return std::make_shared<TaskError>(
            error->code,
            fmt::format("{} (and {} further errors on stream {} since)", error->message, further, id_));
    }
    return error;
}

void Stream::abort(int code) {
    std::deque<Item> dropped;
    {
        const std::lock_guard lock(wakeup_->mutex);
        dropped.swap(queue_);
        aborts_.fetch_add(1, std::memory_order_relaxed);
        if (code != kSuccess && !dropped.empty() && error_ == nullptr) {
            keep_error(code, fmt::format("stream {} was aborted with {} tasks left", id_, dropped.size()));
        }
        wakeup_->ready.notify_all();
    }
    for (Item& item : dropped) {
        if (item.kind == Kind::record) {
            item.mark->complete();
        }
    }
    const std::lock_guard lock(wakeup_->mutex);
    completed_.fetch_add(dropped.size(), std::memory_order_release);
    progress_.notify_all();
}

std::shared_ptr<Recorder> Stream::recorder() const {
    if (!recorded_.load(std::memory_order_acquire)) {
        return nullptr;
    }
    const std::lock_guard lock(wakeup_->mutex);
    return recorder_;
}

void Stream::start_recording(std::shared_ptr<Recorder> recorder) {
    const std::lock_guard lock(wakeup_->mutex);
    if (recorder_ != nullptr) {
        raise(kRtStreamCaptured, "stream {} is being captured, or a task group is updated on it, already",
              id_);
    }
    recorder_ = std::move(recorder);
    recorded_.store(true, std::memory_order_release);
}

void Stream::end_recording(const Recorder& recorder) noexcept {
    std::shared_ptr<Recorder> ended;  // goes without the lock
    const std::lock_guard lock(wakeup_->mutex);
    if (recorder_.get() == &recorder) {
        ended.swap(recorder_);
        recorded_.store(false, std::memory_order_release);
    }
}

void Stream::wait_in_task(const std::shared_ptr<Mark>& mark) {
    Stream& self = *running_stream;
    const int64_t since = steady_nanoseconds();
    std::unique_lock lock(self.wakeup_->mutex);
    while (!mark->done()) {
        leave_if_aborted();
        if (!mark->notify(self.wakeup_)) {
            return;
        }
        const uint32_t limit = wait_limit_.load(std::memory_order_relaxed);
        const int64_t left = since + int64_t{limit} * 1'000'000 - steady_nanoseconds();
        if (limit == 0) {
            self.wakeup_->ready.wait(lock);
        } else if (left > 0) {
            self.wakeup_->ready.wait_for(lock, std::chrono::nanoseconds(left));
        } else {
            raise(kRtWaitTimeout, "stream {} waited {} ms for an event that did not happen", self.id_, limit);
        }
    }
}

void Stream::leave_if_aborted() {
    if (running_stream->aborts_.load(std::memory_order_relaxed) != aborts_before_task) {
        raise(kRtStreamAbort, "stream {} was aborted", running_stream->id_);
    }
}

void Stream::refuse_own_task(const char* action) const {
    if (running_stream == this) {
        raise(kRtInternalError, "stream {} can't be {} from one of its own tasks: it would wait for itself",
              id_, action);
    }
}

}  // namespace opweld::npu
