#include "npu/runtime/report.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "npu/runtime/error.h"

namespace opweld::npu {

class ReportQueue {
  public:
    struct Entry {
        HostCallback function;
        void* data;
        std::shared_ptr<Mark> done;
    };

    void push(Entry entry) {
        const std::lock_guard lock(mutex_);
        entries_.push_back(std::move(entry));
        filled_.notify_one();
    }

    bool pop(int32_t timeout, Entry& entry) {
        std::unique_lock lock(mutex_);
        const auto some = [this] { return !entries_.empty(); };
        if (timeout < 0) {
            filled_.wait(lock, some);
        } else if (!filled_.wait_for(lock, std::chrono::milliseconds(timeout), some)) {
            return false;
        }
        entry = std::move(entries_.front());
        entries_.pop_front();
        return true;
    }

  private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Entry> entries_;
};

namespace {

struct Subscriptions {
    std::mutex mutex;
    std::map<uint64_t, std::shared_ptr<ReportQueue>> queues;  // by thread
    std::map<const void*, uint64_t> threads;                  // by stream
    std::condition_variable changed;
};

Subscriptions& subscriptions() {
    static auto& all = *new Subscriptions;
    return all;
}

// Drops the queue of a thread that serves no stream any more.
void drop_if_unused(Subscriptions& all, uint64_t thread) {
    for (const auto& [stream, server] : all.threads) {
        if (server == thread) {
            return;
        }
    }
    all.queues.erase(thread);
}

}  // namespace

void subscribe(uint64_t thread, const void* stream) {
    Subscriptions& all = subscriptions();
    const std::lock_guard lock(all.mutex);
    if (all.threads.contains(stream)) {
        raise(kRtStreamSubscribe, "stream {} is served by a thread already", fmt::ptr(stream));
    }
    auto& queue = all.queues[thread];
    if (queue == nullptr) {
        queue = std::make_shared<ReportQueue>();
    }
    all.threads[stream] = thread;
    all.changed.notify_all();
}

void unsubscribe(uint64_t thread, const void* stream) {
    Subscriptions& all = subscriptions();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.threads.find(stream);
    if (entry == all.threads.end() || entry->second != thread) {
        raise(kRtStreamSubscribe, "thread {:#x} does not serve stream {}", thread, fmt::ptr(stream));
    }
    all.threads.erase(entry);
    drop_if_unused(all, thread);
}

void forget_stream(const void* stream) {
    Subscriptions& all = subscriptions();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.threads.find(stream);
    if (entry != all.threads.end()) {
        const uint64_t thread = entry->second;
        all.threads.erase(entry);
        drop_if_unused(all, thread);
    }
}

std::shared_ptr<ReportQueue> subscriber_of(const void* stream) {
    Subscriptions& all = subscriptions();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.threads.find(stream);
    if (entry == all.threads.end()) {
        raise(kRtStreamNoCallback,
              "no thread serves the callbacks of stream {}: call aclrtSubscribeReport first",
              fmt::ptr(stream));
    }
    return all.queues.at(entry->second);
}

void hand_over(ReportQueue& queue, HostCallback function, void* data, std::shared_ptr<Mark> done) {
    queue.push({.function = function, .data = data, .done = std::move(done)});
}

void process_report(int32_t timeout) {
    const auto begin = steady_nanoseconds();
    const auto self = static_cast<uint64_t>(pthread_self());
    std::shared_ptr<ReportQueue> queue;
    {
        // The thread may ask before anybody has subscribed it; it then sleeps as it does for a callback.
        Subscriptions& all = subscriptions();
        std::unique_lock lock(all.mutex);
        const auto serving = [&] { return all.queues.contains(self); };
        if (timeout < 0) {
            all.changed.wait(lock, serving);
        } else if (!all.changed.wait_for(lock, std::chrono::milliseconds(timeout), serving)) {
            raise(kRtThreadSubscribe, "this thread serves no stream: call aclrtSubscribeReport first");
        }
        queue = all.queues.at(self);
    }
    const auto spent = static_cast<int32_t>((steady_nanoseconds() - begin) / 1'000'000);
    ReportQueue::Entry entry{};
    if (!queue->pop(timeout < 0 ? timeout : std::max(0, timeout - spent), entry)) {
        raise(kRtReportTimeout, "no callback came within {} ms", timeout);
    }
    // The stream goes on whether or not the function throws; the exception is the error of this call.
    try {
        entry.function(entry.data);
    } catch (...) {
        entry.done->complete();
        throw;
    }
    entry.done->complete();
}

}  // namespace opweld::npu
