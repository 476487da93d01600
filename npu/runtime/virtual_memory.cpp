#include "npu/runtime/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "npu/runtime/address_space.h"
#include "npu/runtime/config.h"
#include "npu/runtime/error.h"

namespace opweld::npu {
namespace {

constexpr uint64_t kPage = AddressSpace::kHugePage;

uint64_t round_up(uint64_t value) { return (value + kPage - 1) / kPage * kPage; }

void* host_of(uintptr_t device) { return AddressSpace::translate(reinterpret_cast<const void*>(device)); }

// Takes the bytes away again: addresses without access rights and without memory.
void map_nothing(uintptr_t address, uint64_t bytes) {
    mmap(host_of(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

HandleTable<PhysicalHandle>& physical_handles() {
    static auto& table = *new HandleTable<PhysicalHandle>("physical memory handle", kRtResourceAllocation);
    return table;
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::create(int device, uint64_t bytes, const char* function) {
    if (bytes == 0) {
        raise(kInvalidParam, "an allocation of 0 bytes is not possible");
    }
    Memory& memory = Memory::instance();
    const uint64_t rounded = bytes > memory.total(device) ? bytes : round_up(bytes);
    memory.charge(device, rounded, function);
    const int descriptor = memfd_create("opweld-npu", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(rounded)) != 0) {
        const int error = errno;
        if (descriptor >= 0) {
            close(descriptor);
        }
        memory.refund(device, rounded);
        raise(kRtMemoryAllocation, "the host refuses {} bytes for device memory: {}", rounded,
              std::strerror(error));
    }
    return std::shared_ptr<PhysicalMemory>(new PhysicalMemory(device, rounded, descriptor, true));
}

uint64_t PhysicalMemory::shareable() const noexcept {
    return static_cast<uint64_t>(getpid()) << 32 | static_cast<uint32_t>(descriptor_);
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::import(int device, uint64_t shareable, const char* function) {
    const std::string path = fmt::format("/proc/{}/fd/{}", shareable >> 32, static_cast<uint32_t>(shareable));
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct stat status{};
    std::array<char, 64> target{};
    const bool ours = readlink(path.c_str(), target.data(), target.size() - 1) > 0 &&
                      std::strncmp(target.data(), "/memfd:opweld-npu", 17) == 0;
    if (descriptor < 0 || !ours || fstat(descriptor, &status) != 0) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        raise(
            kRtParamInvalid,
            "{}: {:#x} is no shareable handle of device memory, or the process that exported it has freed it",
            function, shareable);
    }
    // The exporter's device carries the bytes.
    return std::shared_ptr<PhysicalMemory>(
        new PhysicalMemory(device, static_cast<uint64_t>(status.st_size), descriptor, false));
}

PhysicalMemory::~PhysicalMemory() {
    close(descriptor_);
    if (charged_) {
        Memory::instance().refund(device_, bytes_);
    }
}

VirtualMemory& VirtualMemory::instance() {
    static auto& memory = *new VirtualMemory;
    return memory;
}

VirtualMemory::VirtualMemory() {
    Memory::instance();
    addresses_.resize(config().visible.size());
    for (size_t device = 0; device < addresses_.size(); ++device) {
        const auto range = AddressSpace::virtual_region(static_cast<int>(device));
        addresses_[device].add(range.begin, range.end);
    }
}

void* VirtualMemory::reserve(int device, uint64_t bytes, void* wanted) {
    if (bytes == 0 || bytes > UINT64_MAX - kPage) {
        raise(kInvalidParam, "{} bytes of addresses can't be reserved", bytes);
    }
    const uint64_t rounded = round_up(bytes);
    const auto target = reinterpret_cast<uintptr_t>(wanted);
    const std::lock_guard lock(mutex_);
    AddressAllocator& free = addresses_.at(static_cast<size_t>(device));
    uintptr_t begin = 0;
    if (target != 0 && target % kPage == 0 && free.take_at(target, rounded)) {
        begin = target;
    } else {
        begin = free.take(rounded, kPage);
    }
    if (begin == 0) {
        raise(kRtMemoryAllocation, "device {} has no {} free addresses in a row", device, rounded);
    }
    ranges_[begin] = {.bytes = rounded, .device = device};
    return reinterpret_cast<void*>(begin);
}

void VirtualMemory::release(void* begin) {
    const std::lock_guard lock(mutex_);
    const auto range = ranges_.find(reinterpret_cast<uintptr_t>(begin));
    if (range == ranges_.end()) {
        raise(kRtParamInvalid, "{} is not the first address of a reserved range", fmt::ptr(begin));
    }
    const auto mapped = mappings_.lower_bound(range->first);
    if (mapped != mappings_.end() && mapped->first < range->first + range->second.bytes) {
        raise(kRtParamInvalid, "the range at {} still has memory mapped at {:#x}: use aclrtUnmapMem first",
              fmt::ptr(begin), mapped->first);
    }
    addresses_.at(static_cast<size_t>(range->second.device)).give(range->first, range->second.bytes);
    ranges_.erase(range);
}

std::map<uintptr_t, VirtualMemory::Range>::const_iterator VirtualMemory::range_of(uintptr_t begin,
                                                                                  uint64_t bytes) const {
    auto range = ranges_.upper_bound(begin);
    if (range == ranges_.begin()) {
        return ranges_.end();
    }
    --range;
    const uint64_t offset = begin - range->first;
    const bool inside = offset <= range->second.bytes && bytes <= range->second.bytes - offset;
    return inside ? range : ranges_.end();
}

void VirtualMemory::map(void* address, uint64_t bytes, uint64_t offset,
                        const std::shared_ptr<PhysicalMemory>& memory, Caller caller) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (bytes == 0 || begin % kPage != 0 || bytes % kPage != 0 || offset % kPage != 0) {
        raise(kRtAddressUnaligned, "address {}, {} bytes, offset {}: all three must be multiples of 2 MiB",
              fmt::ptr(address), bytes, offset);
    }
    if (offset > memory->bytes() || bytes > memory->bytes() - offset) {
        raise(kRtParamInvalid, "{} bytes from offset {} pass the end of the handle's {} bytes", bytes, offset,
              memory->bytes());
    }
    const std::lock_guard lock(mutex_);
    const auto range = range_of(begin, bytes);
    if (range == ranges_.end()) {
        raise(kRtParamInvalid, "[{}, + {} bytes) does not lie in one range of aclrtReserveMemAddress",
              fmt::ptr(address), bytes);
    }
    const auto next = mappings_.lower_bound(begin);
    const bool behind =
        next != mappings_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > begin;
    if (behind || (next != mappings_.end() && next->first < begin + bytes)) {
        raise(kRtParamInvalid, "part of [{}, + {} bytes) is mapped already", fmt::ptr(address), bytes);
    }
    if (mmap(host_of(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->descriptor(),
             static_cast<off_t>(offset)) == MAP_FAILED) {
        raise(kRtMemoryAllocation, "the host refuses to map {} bytes of device memory: {}", bytes,
              std::strerror(errno));
    }
    mappings_[begin] = {.bytes = bytes, .memory = memory};
    Memory::instance().register_mapping(begin, bytes, range->second.device, caller);
}

void VirtualMemory::unmap(void* address, Caller caller) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    const std::lock_guard lock(mutex_);
    const auto mapping = mappings_.find(begin);
    if (mapping == mappings_.end()) {
        raise(kRtParamInvalid, "nothing is mapped at {}", fmt::ptr(address));
    }
    Memory::instance().map().remove(begin, caller.function);
    map_nothing(begin, mapping->second.bytes);
    mappings_.erase(mapping);
}

}  // namespace opweld::npu
