#include "npu/runtime/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "npu/runtime/error.h"

namespace opweld::npu {
namespace {

// Addresses are plenty, memory is not: the heap may be fragmented and reservations of expandable segments
// each cover more than the whole device, so a device owns several times as many addresses as bytes.
constexpr uint64_t kHeapFactor = 2;
constexpr uint64_t kVirtualFactor = 14;
constexpr uint64_t kMinimumHeap = uint64_t{1} << 28;

uintptr_t round_up(uintptr_t value, uintptr_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// Maps `length` bytes without access rights at a multiple of 2 MiB; 0 where there are no such addresses.
uintptr_t map_aligned(uint64_t length) {
    const uint64_t padded = length + AddressSpace::kHugePage;
    void* mapped = mmap(nullptr, padded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return 0;
    }
    return round_up(reinterpret_cast<uintptr_t>(mapped), AddressSpace::kHugePage);
}

}  // namespace

void AddressSpace::reserve(int devices, uint64_t hbm_bytes) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (length_.load(std::memory_order_relaxed) != 0) {
        return;
    }
    const uint64_t heap_bytes = std::max(kMinimumHeap, round_up(hbm_bytes * kHeapFactor, kHugePage));
    for (uint64_t factor = kVirtualFactor; factor >= 2; factor /= 2) {
        const uint64_t slice = heap_bytes + round_up(hbm_bytes * factor, kHugePage);
        const uint64_t length = slice * static_cast<uint64_t>(std::max(devices, 1));
        const uintptr_t addresses = map_aligned(length);
        const uintptr_t bytes = addresses == 0 ? 0 : map_aligned(length);
        if (bytes == 0) {
            if (addresses != 0) {
                munmap(reinterpret_cast<void*>(addresses), length);
            }
            continue;
        }
        madvise(reinterpret_cast<void*>(bytes), length, MADV_DONTDUMP);
        slice_.store(slice, std::memory_order_relaxed);
        heap_length_.store(heap_bytes, std::memory_order_relaxed);
        distance_.store(bytes - addresses, std::memory_order_relaxed);
        begin_.store(addresses, std::memory_order_relaxed);
        length_.store(length, std::memory_order_release);
        return;
    }
    raise(kRtMemoryAllocation,
          "the host refuses the addresses for {} devices of {} MiB each ({}); lower OPWELD_HBM_GIB or "
          "OPWELD_DEVICES, or "
          "raise the limit on virtual memory (ulimit -v)",
          devices, hbm_bytes >> 20, std::strerror(errno));
}

AddressSpace::Range AddressSpace::heap(int device) noexcept {
    const uintptr_t begin = begin_.load(std::memory_order_relaxed) +
                            static_cast<uintptr_t>(device) * slice_.load(std::memory_order_relaxed);
    return {begin, begin + heap_length_.load(std::memory_order_relaxed)};
}

AddressSpace::Range AddressSpace::virtual_region(int device) noexcept {
    const uintptr_t begin = begin_.load(std::memory_order_relaxed) +
                            static_cast<uintptr_t>(device) * slice_.load(std::memory_order_relaxed);
    return {begin + heap_length_.load(std::memory_order_relaxed),
            begin + slice_.load(std::memory_order_relaxed)};
}

}  // namespace opweld::npu
