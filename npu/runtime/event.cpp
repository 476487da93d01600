#include "npu/runtime/event.h"

#include <deque>
#include <unordered_map>

namespace opweld::npu {
namespace {

// The marks of reusable events that were destroyed lately, by handle.
class LateMarks {
  public:
    static LateMarks& instance() {
        static auto& marks = *new LateMarks;
        return marks;
    }

    void keep(const void* event, std::shared_ptr<Mark> mark) {
        const std::lock_guard lock(mutex_);
        if (marks_.insert_or_assign(event, std::move(mark)).second) {
            order_.push_back(event);
        }
        if (order_.size() > kKept) {
            marks_.erase(order_.front());
            order_.pop_front();
        }
    }

    // Whether the event is known; its mark in `mark`.
    bool find(const void* event, std::shared_ptr<Mark>& mark) const {
        const std::lock_guard lock(mutex_);
        const auto found = marks_.find(event);
        if (found != marks_.end()) {
            mark = found->second;
        }
        return found != marks_.end();
    }

  private:
    // Fewer than the slots that HandleTable rests, so that a handle is forgotten before it is another
    // event's.
    static constexpr size_t kKept = 1024;
    mutable std::mutex mutex_;
    std::unordered_map<const void*, std::shared_ptr<Mark>> marks_;
    std::deque<const void*> order_;
};

}  // namespace

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

void Event::record(std::shared_ptr<RecordedPoint> point) {
    const std::lock_guard lock(mutex_);
    mark_ = std::make_shared<Mark>(std::move(point));
    recorded_ = true;
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

void destroy_event(const void* event) {
    bool reusable = false;
    std::shared_ptr<Mark> mark;
    {
        const auto pin = events().get(event);
        reusable = pin->reusable();
        mark = pin->mark();
    }
    if (reusable) {
        LateMarks::instance().keep(event, std::move(mark));  // before it goes: a wait finds one or the other
    }
    events().remove(event);
}

std::shared_ptr<Mark> mark_to_wait_for(const void* event) {
    std::shared_ptr<Mark> mark;
    if (!events().live(event) && LateMarks::instance().find(event, mark)) {
        return mark;
    }
    try {
        return events().get(event)->mark();
    } catch (const AclException&) {
        if (LateMarks::instance().find(event, mark)) {  // it went in between
            return mark;
        }
        throw;
    }
}

}  // namespace opweld::npu
