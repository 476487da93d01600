#include "npu/runtime/interface.h"

#include "npu/runtime/address_space.h"
#include "npu/runtime/config.h"
#include "npu/runtime/context.h"
#include "npu/runtime/direct.h"
#include "npu/runtime/error.h"
#include "npu/runtime/memory.h"
#include "npu/runtime/own_thread.h"

namespace opweld::npu {
namespace {

int put_on_stream(void* stream, std::unique_ptr<Task> task, bool anywhere) noexcept {
    if (const int code = check_process(task == nullptr ? "enqueue" : task->name()); code != kSuccess) {
        return code;
    }
    return entry("enqueue", [&] {
        required(task.get(), "task");
        if (DirectScope::active()) [[unlikely]] {
            task->run();
            return;
        }
        const auto onto = stream_of(stream);
        if (const int device = task->device(); device >= 0 && device != onto->device()) {
            raise(
                kRtParamInvalid,
                "{}: the tensors are on device {}, but the stream belongs to device {}; move the tensors, or "
                "set the device before the call",
                task->name(), device, onto->device());
        }
        if (!anywhere) {
            onto->wait_for_room();
        }
        onto->run(std::move(task), anywhere);
    });
}

}  // namespace

int enqueue(void* stream, std::unique_ptr<Task> task) noexcept {
    return put_on_stream(stream, std::move(task), true);
}

int enqueue_on_own_thread(void* stream, std::unique_ptr<Task> task) noexcept {
    return put_on_stream(stream, std::move(task), false);
}

int check_process(std::string_view function) noexcept {
    if (!forked_child()) [[likely]] {
        return kSuccess;
    }
    try {
        refuse_in_child();
    } catch (const AclException& error) {
        return report_failure(function, error.code(), error.what());
    } catch (...) {
        return report_failure(function, kInternalError, "the process was forked");
    }
    return kSuccess;
}

void* host_address(const void* device, size_t bytes) {
    if (DirectScope::active() && !AddressSpace::contains(device)) [[unlikely]] {
        return const_cast<void*>(device);
    }
    const Memory* memory = Memory::if_used();
    return (memory == nullptr ? Memory::instance() : *memory).checked(device, bytes);
}

void* host_address_unchecked(const void* device) noexcept { return AddressSpace::translate(device); }

int device_of(const void* address) noexcept {
    return AddressSpace::contains(address) ? AddressSpace::device_of(address) : -1;
}

const char* soc_name() noexcept { return requested_soc(); }

}  // namespace opweld::npu
