// Physical memory apart from addresses: handles that are mapped into reserved ranges, and shared between
// processes.
//
// A handle is a memory file. Its bytes count against the device's limit while the handle or a mapping of it
// exists. Safe from any thread; errors are AclException.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "npu/runtime/address_allocator.h"
#include "npu/runtime/handle_table.h"
#include "npu/runtime/memory.h"

namespace opweld::npu {

class PhysicalMemory {
  public:
    // Fresh memory of a device; `bytes` is rounded up to 2 MiB.
    static std::shared_ptr<PhysicalMemory> create(int device, uint64_t bytes, const char* function);
    // Memory that another process (or this one) exported.
    static std::shared_ptr<PhysicalMemory> import(int device, uint64_t shareable, const char* function);
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    int device() const noexcept { return device_; }
    uint64_t bytes() const noexcept { return bytes_; }
    int descriptor() const noexcept { return descriptor_; }
    // A number that any process of this user can import while this process holds the memory.
    uint64_t shareable() const noexcept;

  private:
    PhysicalMemory(int device, uint64_t bytes, int descriptor, bool charged)
        : device_(device), bytes_(bytes), descriptor_(descriptor), charged_(charged) {}

    const int device_;
    const uint64_t bytes_;
    const int descriptor_;
    const bool charged_;
};

// What a handle of aclrtMallocPhysical points to.
struct PhysicalHandle {
    std::shared_ptr<PhysicalMemory> memory;
};
HandleTable<PhysicalHandle>& physical_handles();

class VirtualMemory {
  public:
    static VirtualMemory& instance();

    // Reserves `bytes` (rounded up to 2 MiB) of a device's addresses; `wanted` may be null.
    void* reserve(int device, uint64_t bytes, void* wanted);
    void release(void* begin);

    // Maps a handle's bytes [offset, offset + bytes) at `address`, which must lie in a reserved range and be
    // free.
    void map(void* address, uint64_t bytes, uint64_t offset, const std::shared_ptr<PhysicalMemory>& memory,
             Caller caller);
    void unmap(void* address, Caller caller);

    std::mutex& mutex() noexcept { return mutex_; }

  private:
    VirtualMemory();
    struct Range {
        uint64_t bytes;
        int device;
    };
    struct Mapping {
        uint64_t bytes;
        std::shared_ptr<PhysicalMemory> memory;
    };
    // The reserved range that holds [begin, begin + bytes), or the end.
    std::map<uintptr_t, Range>::const_iterator range_of(uintptr_t begin, uint64_t bytes) const;

    std::mutex mutex_;
    std::vector<AddressAllocator> addresses_;  // by device
    std::map<uintptr_t, Range> ranges_;
    std::map<uintptr_t, Mapping> mappings_;
};

}  // namespace opweld::npu
