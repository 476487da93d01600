// The addresses of all devices: one range without any access rights, and a second mapping of the same length
// at a constant distance that holds the bytes. A device address plus the distance is the host address of its
// byte.
//
// Each device owns an equal slice: first its heap (aclrtMalloc), then its virtual region
// (aclrtReserveMemAddress). Reserved at the first use of a device; never released before the process ends.
// Safe from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace opweld::npu {

class AddressSpace {
  public:
    static constexpr uint64_t kHugePage = uint64_t{2} << 20;

    // Reserves the ranges for `devices` devices of `hbm_bytes` each. Throws AclException when the host gives
    // none. Further calls do nothing.
    static void reserve(int devices, uint64_t hbm_bytes);

    // The host address, or null for an address outside the range (or before reserve()).
    static void* translate(const void* device) noexcept {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(device) - begin_.load(std::memory_order_relaxed);
        if (offset >= length_.load(std::memory_order_relaxed)) {
            return nullptr;
        }
        return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(device) +
                                       distance_.load(std::memory_order_relaxed));
    }
    static bool contains(const void* address) noexcept { return translate(address) != nullptr; }

    // The device that owns an address of the range.
    static int device_of(const void* address) noexcept {
        return static_cast<int>(
            (reinterpret_cast<uintptr_t>(address) - begin_.load(std::memory_order_relaxed)) /
            slice_.load(std::memory_order_relaxed));
    }

    struct Range {
        uintptr_t begin;
        uintptr_t end;
    };
    static Range heap(int device) noexcept;
    static Range virtual_region(int device) noexcept;

  private:
    static inline std::atomic<uintptr_t> begin_{0};
    static inline std::atomic<uintptr_t> length_{0};
    static inline std::atomic<uintptr_t> distance_{0};
    static inline std::atomic<uintptr_t> slice_{1};
    static inline std::atomic<uintptr_t> heap_length_{0};
};

}  // namespace opweld::npu
