#include "npu/runtime/context.h"

#include "npu/runtime/device.h"
#include "npu/runtime/process.h"

namespace opweld::npu {
namespace {

thread_local void* thread_context = nullptr;

}  // namespace

HandleTable<Context>& contexts() {
    static auto& table = *new HandleTable<Context>("context", kRtResourceAllocation);
    return table;
}

void* Context::default_stream(const void* self) {
    const std::lock_guard lock(mutex_);
    if (default_stream_ == nullptr) {
        default_stream_ = npu::device(device_).create_stream(self, 0, 0);
        streams().get(default_stream_)->become_default();
    }
    return default_stream_;
}

void* Context::take_default_stream() {
    const std::lock_guard lock(mutex_);
    return std::exchange(default_stream_, nullptr);
}

void Context::set_option(size_t option, int64_t value) {
    const std::lock_guard lock(mutex_);
    options_.at(option) = value;
}

std::optional<int64_t> Context::option(size_t option) const {
    const std::lock_guard lock(mutex_);
    return options_.at(option);
}

void* current_context() {
    if (thread_context != nullptr && contexts().live(thread_context)) [[likely]] {
        return thread_context;
    }
    thread_context = nullptr;
    if (const auto device = Process::instance().default_device()) {
        thread_context = npu::device(*device).use();
        return thread_context;
    }
    raise(kRtContextNull, "this thread has no device yet: call aclrtSetDevice first");
}

void set_current_context(void* context) noexcept { thread_context = context; }

int current_device() { return contexts().get(current_context())->device(); }

HandleTable<Stream>::Pin stream_of(void* stream) {
    if (stream != nullptr) [[likely]] {
        return streams().get(stream);
    }
    void* context = current_context();
    return streams().get(contexts().get(context)->default_stream(context));
}

}  // namespace opweld::npu
