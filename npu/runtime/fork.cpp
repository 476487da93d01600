#include "npu/runtime/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "npu/runtime/context.h"
#include "npu/runtime/device.h"
#include "npu/runtime/error.h"
#include "npu/runtime/event.h"
#include "npu/runtime/failures.h"
#include "npu/runtime/host_memory.h"
#include "npu/runtime/memory.h"
#include "npu/runtime/stream.h"
#include "npu/runtime/virtual_memory.h"

namespace opweld::npu {
namespace {

std::atomic<pid_t> parent_of_child{0};  // the process that used the device; 0 in that process itself
pid_t forking = 0;

// All locks of process-wide tables, in the one order in which they nest.
template <class Action>
void each_lock(const Action& action) {
    for (std::mutex* mutex : device_locks()) {
        action(*mutex);
    }
    action(contexts().mutex());
    action(streams().mutex());
    action(events().mutex());
    action(HostMemory::instance().mutex());
    action(physical_handles().mutex());
    action(VirtualMemory::instance().mutex());
    action(failures_mutex());
    action(operator_names_mutex());
    if (Memory* memory = Memory::if_used(); memory != nullptr) {
        memory->each_lock(action);
    }
}

// In the child, a lock that has readers may remember threads that wait for it and do not exist there: it
// starts anew.
struct Acquire {
    template <class Mutex>
    void operator()(Mutex& mutex) const {
        mutex.lock();
    }
};
struct Release {
    template <class Mutex>
    void operator()(Mutex& mutex) const {
        mutex.unlock();
    }
};
struct Renew {
    void operator()(std::mutex& mutex) const { mutex.unlock(); }
    void operator()(std::shared_mutex& mutex) const { new (&mutex) std::shared_mutex; }
};

void before_fork() {
    forking = getpid();
    each_lock(Acquire{});
}

void in_parent() { each_lock(Release{}); }

void in_child() {
    each_lock(Renew{});
    pid_t none = 0;
    parent_of_child.compare_exchange_strong(none, forking);
}

}  // namespace

void watch_forks() {
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(before_fork, in_parent, in_child); });
}

bool forked_child() noexcept { return parent_of_child.load(std::memory_order_relaxed) != 0; }

void refuse_in_child() {
    if (forked_child()) [[unlikely]] {
        raise(kRtInternalError,
              "this process was forked from process {}, which had used the NPU before; an NPU can't be used "
              "after fork. "
              "Start workers with the \"spawn\" method, or fork before the first use of the NPU (copying to "
              "the host is "
              "still possible here)",
              parent_of_child.load());
    }
}

}  // namespace opweld::npu
