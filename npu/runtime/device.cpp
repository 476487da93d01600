#include "npu/runtime/device.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "npu/runtime/config.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/host_settings.h"
#include "npu/runtime/memory.h"
#include "npu/runtime/report.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {
namespace {

// ACL_STREAM_FAST_LAUNCH and ACL_STREAM_FAST_SYNC: what torch_npu asks for.
constexpr uint32_t kFastLaunchAndSync = 3;

std::atomic<int> next_stream_id{0};
constinit std::mutex table_mutex;

// All devices; filled at the first question, complete from then on.
std::vector<std::unique_ptr<Device>>& table() {
    static auto& devices = *new std::vector<std::unique_ptr<Device>>;
    return devices;
}

// What is left of `timeout` milliseconds since `begin`; negative stays negative.
int32_t remaining(int32_t timeout, std::chrono::steady_clock::time_point begin) {
    if (timeout < 0) {
        return timeout;
    }
    const auto spent =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin)
            .count();
    return static_cast<int32_t>(std::max<int64_t>(0, timeout - spent));
}

}  // namespace

void* Device::use() {
    Memory::instance();
    const std::lock_guard lock(mutex_);
    ++users_;
    if (primary_ == nullptr) {
        primary_ = contexts().add(std::make_unique<Context>(id_, true));
    }
    return primary_;
}

void Device::release(bool force) {
    void* primary = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (users_ == 0) {
            return;
        }
        users_ = force ? 0 : users_ - 1;
        if (users_ > 0) {
            return;
        }
        primary = std::exchange(primary_, nullptr);
    }
    contexts().remove(primary);
    for (void* stream : stream_handles()) {
        if (streams().live(stream)) {
            destroy_stream(stream, force);
        }
    }
    const uint64_t bytes = Memory::instance().free_all(id_, {"aclrtResetDevice", nullptr});
    if (bytes > 0) {
        write_log(LogLevel::info, "ACL",
                  fmt::format("device {} was reset with {} bytes not freed", id_, bytes));
    }
}

bool Device::in_use() const {
    const std::lock_guard lock(mutex_);
    return users_ > 0;
}

void* Device::create_stream(const void* context, uint32_t priority, uint32_t flags) {
    const int id = next_stream_id.fetch_add(1, std::memory_order_relaxed);
    const bool inline_when_idle = config().streams == StreamMode::inline_when_idle;
    void* handle =
        streams().add(std::make_unique<Stream>(id, id_, context, priority, flags, inline_when_idle));
    const std::lock_guard lock(mutex_);
    exact_timers_again();
    if (flags == kFastLaunchAndSync && !std::exchange(has_fast_stream_, true)) {
        lenient_timers_for_new_threads();
    }
    streams_.push_back(handle);
    return handle;
}

void Device::destroy_stream(void* stream, bool force) {
    {
        const auto pin = streams().get(stream);
        pin->refuse_own_task("destroyed");
        if (!force) {
            pin->drain(-1);
        } else {
            pin->abort(kSuccess);
        }
    }
    {
        const std::lock_guard lock(mutex_);
        std::erase(streams_, stream);
    }
    forget_stream(stream);
    if (const auto recorder = streams().get(stream)->recorder()) {
        recorder->forget(*streams().get(stream));
    }
    streams().remove(stream);
}

std::vector<void*> Device::stream_handles() const {
    const std::lock_guard lock(mutex_);
    return streams_;
}

void Device::synchronise(int32_t timeout) {
    const auto begin = std::chrono::steady_clock::now();
    int code = kSuccess;
    std::string message;
    for (void* stream : stream_handles()) {
        if (!streams().live(stream)) {
            continue;
        }
        const auto pin = streams().get(stream);
        pin->refuse_own_task("synchronised with its device");
        if (!pin->drain(remaining(timeout, begin))) {
            raise(kRtStreamSyncTimeout, "stream {} of device {} has not finished its work after {} ms",
                  pin->id(), id_, timeout);
        }
        if (const auto error = pin->take_error(); error != nullptr) {
            message.append(code == kSuccess ? "" : "; ").append(error->message);
            code = code == kSuccess ? error->code : code;
        }
    }
    if (code != kSuccess) {
        throw AclException(code, message);
    }
}

void Device::abort(int32_t timeout) {
    const auto handles = stream_handles();
    for (void* stream : handles) {
        if (streams().live(stream)) {
            streams().get(stream)->abort(kRtDeviceTaskAbort);
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    for (void* stream : handles) {
        if (!streams().live(stream)) {
            continue;
        }
        const auto pin = streams().get(stream);
        if (!pin->drain(remaining(timeout, begin))) {
            raise(kRtWaitTimeout, "a task of stream {} on device {} still runs after {} ms", pin->id(), id_,
                  timeout);
        }
    }
}

void Device::report_lost_errors() {
    for (void* stream : stream_handles()) {
        if (!streams().live(stream)) {
            continue;
        }
        const auto pin = streams().get(stream);
        if (const auto error = pin->take_error()) {
            write_always(fmt::format("no synchronisation reported this error of stream {} on device {}: {}",
                                     pin->id(), id_, error->message));
        }
    }
}

bool Device::busy() const {
    for (void* stream : stream_handles()) {
        if (streams().live(stream) && !streams().get(stream)->idle()) {
            return true;
        }
    }
    return false;
}

int device_count() { return static_cast<int>(config().visible.size()); }

std::vector<std::mutex*> device_locks() {
    std::vector<std::mutex*> locks{&table_mutex};
    for (const auto& device : table()) {
        locks.push_back(&device->mutex());
    }
    return locks;
}

Device& device(int id) {
    const std::lock_guard lock(table_mutex);
    auto& devices = table();
    if (devices.empty()) {
        for (size_t logical = 0; logical < config().visible.size(); ++logical) {
            devices.push_back(std::make_unique<Device>(static_cast<int>(logical), config().visible[logical]));
        }
    }
    if (id < 0 || static_cast<size_t>(id) >= devices.size()) {
        raise(kRtInvalidDevice,
              "device {} does not exist: there are {} (OPWELD_DEVICES and ASCEND_RT_VISIBLE_DEVICES)", id,
              devices.size());
    }
    return *devices[static_cast<size_t>(id)];
}

}  // namespace opweld::npu
