// A device: its streams, its primary context, and how often programs asked for it. Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "npu/runtime/core_limits.h"

namespace opweld::npu {

class Device {
  public:
    Device(int id, int physical) : id_(id), physical_(physical) {}

    int id() const noexcept { return id_; }
    int physical() const noexcept { return physical_; }

    // Counts one more user and returns the primary context.
    void* use();
    // One user less; with the last one (or with `force`) streams end and memory is freed.
    void release(bool force);
    bool in_use() const;

    // A new stream's handle. `context` is the handle of its context.
    void* create_stream(const void* context, uint32_t priority, uint32_t flags);
    // Ends a stream: after its work, or at once (`force`).
    void destroy_stream(void* stream, bool force);

    // Waits for all streams; raises the first error found. `timeout` milliseconds, negative: no limit.
    void synchronise(int32_t timeout);
    // Drops what all streams have queued.
    void abort(int32_t timeout);
    // Writes errors that no synchronisation reported to standard error: for the end of the process.
    void report_lost_errors();

    CoreLimits& core_limits() noexcept { return core_limits_; }
    const CoreLimits& core_limits() const noexcept { return core_limits_; }

    // Whether some stream has work that is not finished.
    bool busy() const;

    std::mutex& mutex() const noexcept { return mutex_; }

  private:
    std::vector<void*> stream_handles() const;

    const int id_;
    const int physical_;
    mutable std::mutex mutex_;
    uint64_t users_ = 0;
    void* primary_ = nullptr;
    std::vector<void*> streams_;
    bool has_fast_stream_ = false;
    CoreLimits core_limits_;
};

int device_count();

// The device of a logical id. Raises 107001 with the number of devices there are.
Device& device(int id);

// The lock of the table of devices and those of the devices, in the order in which they nest: for fork.
std::vector<std::mutex*> device_locks();

}  // namespace opweld::npu
