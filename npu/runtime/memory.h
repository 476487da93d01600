// The memory of all devices: heap, limit, and the way from a device address to its bytes.
//
// Safe from any thread. Errors are AclException: 207001 where the memory is used up, 107000 for a pointer
// that is not what it should be, with the allocation's story.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "npu/runtime/address_allocator.h"
#include "npu/runtime/address_space.h"
#include "npu/runtime/allocation_map.h"

namespace opweld::npu {

// Who asks: the entry point, and an address inside the code that called it.
struct Caller {
    const char* function;
    const void* address;
};

class Memory {
  public:
    // The memory of this process; reserves the addresses at the first call.
    static Memory& instance();

    // The memory if some device was used already, else null. For paths that must not reserve anything.
    static Memory* if_used() noexcept;

    // `bytes` bytes of device memory at a multiple of 512 (of 2 MiB from 2 MiB on). Not initialised.
    void* allocate(int device, uint64_t bytes, Caller caller);
    void free(void* device, Caller caller);

    // Frees all that a device still holds, and says how much that was.
    uint64_t free_all(int device, Caller caller);

    // Makes [begin, begin + bytes) live: memory that VirtualMemory has mapped there.
    void register_mapping(uintptr_t begin, uint64_t bytes, int device, Caller caller);

    uint64_t total(int device) const noexcept;
    uint64_t used(int device) const noexcept;

    // Counts `bytes` against the device's limit; raises 207001 where they don't fit. For physical memory that
    // is not on the heap.
    void charge(int device, uint64_t bytes, const char* function);
    void refund(int device, uint64_t bytes) noexcept;

    // The host address of [device, device + bytes), which must be live.
    void* checked(const void* device, uint64_t bytes) const {
        void* host = AddressSpace::translate(device);
        if (host != nullptr && map_.live(reinterpret_cast<uintptr_t>(device), bytes)) [[likely]] {
            return host;
        }
        return refuse(device, bytes);
    }

    // Calls `action` with each lock, in the order in which they nest.
    template <class Action>
    void each_lock(const Action& action) {
        for (const auto& heap : heaps_) {
            action(heap->mutex);
        }
        action(map_.mutex());
    }

    AllocationMap& map() noexcept { return map_; }
    const AllocationMap& map() const noexcept { return map_; }

  private:
    struct Heap {
        std::mutex mutex;
        AddressAllocator addresses;
        uintptr_t committed = 0;  // the bytes below this address may be touched
        uintptr_t end = 0;
        std::atomic<uint64_t> used{0};
    };

    Memory(int devices, uint64_t hbm_bytes);
    void* refuse(const void* device, uint64_t bytes) const;
    void commit(Heap& heap, uintptr_t end);
    Heap& heap(int device) const { return *heaps_.at(static_cast<size_t>(device)); }

    uint64_t limit_;
    std::vector<std::unique_ptr<Heap>> heaps_;
    AllocationMap map_;
};

}  // namespace opweld::npu
