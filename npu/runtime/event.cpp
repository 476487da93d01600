#include "npu/runtime/event.h"

namespace opweld::npu {

int64_t steady_nanoseconds() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void Mark::complete(std::shared_ptr<TaskError> error) {
    std::vector<std::shared_ptr<Wakeup>> wakeups;
    {
        const std::lock_guard lock(mutex_);
        if (done_.load(std::memory_order_relaxed)) {
            return;
        }
        time_ = steady_nanoseconds();
        error_ = std::move(error);
        done_.store(true, std::memory_order_release);
        wakeups.swap(wakeups_);
        passed_.notify_all();
    }
    for (const auto& wakeup : wakeups) {
        const std::lock_guard lock(wakeup->mutex);
        wakeup->ready.notify_all();
    }
}

std::shared_ptr<TaskError> Mark::take_error() noexcept {
    return done() && error_ != nullptr && !error_->reported.exchange(true) ? error_ : nullptr;
}

bool Mark::wait(int32_t timeout) {
    std::unique_lock lock(mutex_);
    const auto passed = [this] { return done_.load(std::memory_order_relaxed); };
    if (timeout < 0) {
        passed_.wait(lock, passed);
        return true;
    }
    return passed_.wait_for(lock, std::chrono::milliseconds(timeout), passed);
}

bool Mark::notify(const std::shared_ptr<Wakeup>& wakeup) {
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) {
        return false;
    }
    wakeups_.push_back(wakeup);
    return true;
}

Event::Event(uint32_t flags, bool reusable) : flags_(flags), reusable_(reusable) {
    if (!reusable) {
        mark_ = std::make_shared<Mark>();
    }
}

std::shared_ptr<Mark> Event::record() {
    const std::lock_guard lock(mutex_);
    // The first record of an event that is not reusable fulfils the mark that early waiters hold.
    if (recorded_ || mark_ == nullptr) {
        mark_ = std::make_shared<Mark>();
    }
    recorded_ = true;
    return mark_;
}

std::shared_ptr<Mark> Event::mark() const {
    const std::lock_guard lock(mutex_);
    return mark_;
}

bool Event::recorded() const {
    const std::lock_guard lock(mutex_);
    return recorded_;
}

void Event::reset() {
    const std::lock_guard lock(mutex_);
    if (!recorded_) {
        return;
    }
    recorded_ = false;
    mark_ = reusable_ ? nullptr : std::make_shared<Mark>();
}

HandleTable<Event>& events() {
    static auto& table = *new HandleTable<Event>("event", kRtNoEventResource);
    return table;
}

}  // namespace opweld::npu
