#include "npu/runtime/memory.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "npu/runtime/config.h"
#include "npu/runtime/error.h"
#include "npu/runtime/fault_handler.h"
#include "npu/runtime/faults.h"
#include "npu/runtime/host_memory.h"

namespace opweld::npu {
namespace {

constexpr uint64_t kSmallAlignment = 512;
constexpr uint64_t kCommitStep = uint64_t{64} << 20;

std::atomic<Memory*> used_memory{nullptr};

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

uint64_t extent_of(uint64_t bytes) {
    return bytes < AddressSpace::kHugePage ? round_up(bytes, kSmallAlignment)
                                           : round_up(bytes, AddressSpace::kHugePage);
}

void* host_of(uintptr_t device) { return AddressSpace::translate(reinterpret_cast<const void*>(device)); }

// The file name of the code at an address; the string lives as long as the file is loaded.
const char* module_of(const void* address) {
    Dl_info info{};
    if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return "an unknown caller";
    }
    const char* slash = std::strrchr(info.dli_fname, '/');
    return slash == nullptr ? info.dli_fname : slash + 1;
}

std::unique_ptr<Allocation> describe(uintptr_t begin, uint64_t bytes, uint64_t extent, int device,
                                     AllocationKind kind, Caller caller) {
    auto allocation = std::make_unique<Allocation>();
    allocation->begin.store(begin, std::memory_order_relaxed);
    allocation->size.store(bytes, std::memory_order_relaxed);
    allocation->extent = extent;
    allocation->device = device;
    allocation->kind = kind;
    allocation->function = caller.function;
    allocation->module = module_of(caller.address);
    allocation->thread = static_cast<pid_t>(syscall(SYS_gettid));
    return allocation;
}

}  // namespace

Memory& Memory::instance() {
    static Memory& memory = []() -> Memory& {
        const Config& settings = config();
        // Never deleted: device memory outlives every static object that may still hold some.
        auto* made = new Memory(static_cast<int>(settings.visible.size()), settings.hbm_bytes);
        used_memory.store(made, std::memory_order_release);
        install_fault_handler();
        watch_forks();
        return *made;
    }();
    return memory;
}

Memory* Memory::if_used() noexcept { return used_memory.load(std::memory_order_acquire); }

Memory::Memory(int devices, uint64_t hbm_bytes) : limit_(hbm_bytes) {
    AddressSpace::reserve(devices, hbm_bytes);
    for (int device = 0; device < devices; ++device) {
        const auto range = AddressSpace::heap(device);
        auto heap = std::make_unique<Heap>();
        heap->addresses.add(range.begin, range.end);
        heap->committed = range.begin;
        heap->end = range.end;
        heaps_.push_back(std::move(heap));
    }
    if (devices > 0) {
        const uintptr_t begin = AddressSpace::heap(0).begin;
        map_.cover(begin, AddressSpace::virtual_region(devices - 1).end - begin);
    }
}

void Memory::charge(int device, uint64_t bytes, const char* function) {
    if (Faults::armed() && Faults::instance().allocation_fails()) {
        raise(
            kRtMemoryAllocation,
            "{}: device {} is out of memory: {} bytes were asked for (a fault on purpose: OPWELD_FAULTS has "
            "oom)",
            function, device, bytes);
    }
    Heap& heap = this->heap(device);
    uint64_t before = heap.used.load(std::memory_order_relaxed);
    do {
        if (bytes > limit_ - before) {
            raise(kRtMemoryAllocation,
                  "{}: device {} is out of memory: {} bytes were asked for, {} of {} bytes are free (the "
                  "size of the "
                  "device's memory is set by OPWELD_HBM_GIB)",
                  function, device, bytes, limit_ - before, limit_);
        }
    } while (!heap.used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
}

void Memory::refund(int device, uint64_t bytes) noexcept {
    heap(device).used.fetch_sub(bytes, std::memory_order_relaxed);
}

void Memory::commit(Heap& heap, uintptr_t end) {
    if (end <= heap.committed) {
        return;
    }
    const uintptr_t upto = std::min(heap.end, round_up(end, kCommitStep));
    if (mprotect(host_of(heap.committed), upto - heap.committed, PROT_READ | PROT_WRITE) != 0) {
        raise(kRtMemoryAllocation, "the host refuses {} bytes for device memory: {}", upto - heap.committed,
              std::strerror(errno));
    }
    heap.committed = upto;
}

void* Memory::allocate(int device, uint64_t bytes, Caller caller) {
    if (bytes == 0) {
        raise(kInvalidParam, "an allocation of 0 bytes is not possible");
    }
    const uint64_t limit = limit_;
    // Beyond the limit the rounding could overflow.
    const uint64_t extent = bytes > limit ? bytes : extent_of(bytes);
    charge(device, extent, caller.function);
    Heap& heap = this->heap(device);
    uintptr_t begin = 0;
    try {
        {
            const std::lock_guard lock(heap.mutex);
            begin = heap.addresses.take(
                extent, bytes < AddressSpace::kHugePage ? kSmallAlignment : AddressSpace::kHugePage);
            if (begin == 0) {
                raise(kRtMemoryAllocation, "{}: no {} bytes in a row are free on device {}", caller.function,
                      bytes, device);
            }
            commit(heap, begin + extent);
        }
        map_.add(describe(begin, bytes, extent, device, AllocationKind::heap, caller));
    } catch (...) {
        if (begin != 0) {
            const std::lock_guard lock(heap.mutex);
            heap.addresses.give(begin, extent);
        }
        refund(device, extent);
        throw;
    }
    return reinterpret_cast<void*>(begin);
}

void Memory::free(void* device, Caller caller) {
    const auto address = reinterpret_cast<uintptr_t>(device);
    if (!AddressSpace::contains(device)) {
        raise(kRtParamInvalid, "{} is no device memory: {}", fmt::ptr(device),
              HostMemory::instance().explain(device));
    }
    Allocation found;
    if (!map_.find(address, found)) {
        raise(kRtParamInvalid, "{}", map_.explain(address, 0));
    }
    if (found.begin != address) {
        raise(kRtParamInvalid,
              "{} lies inside an allocation, at offset {}; only its first address {:#x} can be freed",
              fmt::ptr(device), address - found.begin, found.begin.load());
    }
    if (found.kind != AllocationKind::heap) {
        raise(kRtParamInvalid, "{} is mapped by {}: use aclrtUnmapMem", fmt::ptr(device), found.function);
    }
    const auto removed = map_.remove(address, caller.function);
    if (removed == nullptr) {
        raise(kRtParamInvalid, "{} was freed by another thread at the same time", fmt::ptr(device));
    }
    if (removed->extent >= AddressSpace::kHugePage) {
        madvise(host_of(address), removed->extent, MADV_DONTNEED);
    }
    Heap& heap = this->heap(removed->device);
    {
        const std::lock_guard lock(heap.mutex);
        heap.addresses.give(address, removed->extent);
    }
    refund(removed->device, removed->extent);
}

uint64_t Memory::free_all(int device, Caller caller) {
    const auto range = AddressSpace::heap(device);
    uint64_t bytes = 0;
    for (const uintptr_t begin : map_.within(range.begin, range.end)) {
        Allocation found;
        if (map_.find(begin, found)) {
            bytes += found.size.load();
            free(reinterpret_cast<void*>(begin), caller);
        }
    }
    return bytes;
}

void Memory::register_mapping(uintptr_t begin, uint64_t bytes, int device, Caller caller) {
    map_.add(describe(begin, bytes, bytes, device, AllocationKind::mapped, caller));
}

uint64_t Memory::total(int) const noexcept { return limit_; }

uint64_t Memory::used(int device) const noexcept { return heap(device).used.load(std::memory_order_relaxed); }

void* Memory::refuse(const void* device, uint64_t bytes) const {
    if (device == nullptr && bytes == 0) {
        return nullptr;
    }
    if (device == nullptr) {
        raise(kRtParamInvalid, "a null pointer stands for {} bytes of device memory", bytes);
    }
    const HostMemory& host = HostMemory::instance();
    if (!AddressSpace::contains(device)) {
        if (host.device_visible(device, bytes)) {
            return const_cast<void*>(device);
        }
        raise(kRtParamInvalid, "{} is no device memory: {}", fmt::ptr(device), host.explain(device));
    }
    raise(kRtParamInvalid, "{}", map_.explain(reinterpret_cast<uintptr_t>(device), bytes));
}

}  // namespace opweld::npu
