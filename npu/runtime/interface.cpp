#include "npu/runtime/interface.h"

#include "npu/runtime/address_space.h"
#include "npu/runtime/config.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/memory.h"

namespace opweld::npu {

int enqueue(void* stream, std::unique_ptr<Task> task) noexcept {
    return entry("enqueue", [&] { stream_of(stream)->run(std::move(task)); });
}

void* host_address(const void* device, size_t bytes) {
    const Memory* memory = Memory::if_used();
    return (memory == nullptr ? Memory::instance() : *memory).checked(device, bytes);
}

void* host_address_unchecked(const void* device) noexcept { return AddressSpace::translate(device); }

const char* soc_name() noexcept { return requested_soc(); }

}  // namespace opweld::npu
