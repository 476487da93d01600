#include "npu/runtime/host_memory.h"

#include <cstdlib>
#include <mutex>

#include "npu/runtime/error.h"

namespace opweld::npu {
namespace {

constexpr uint64_t kHostPage = 4096;

}  // namespace

HostMemory& HostMemory::instance() {
    static auto& memory = *new HostMemory;  // outlives every static object that may still hold pinned memory
    return memory;
}

const std::pair<const uintptr_t, HostMemory::Block>* HostMemory::at(uintptr_t address) const {
    auto entry = blocks_.upper_bound(address);
    if (entry == blocks_.begin()) {
        return nullptr;
    }
    --entry;
    return address - entry->first < entry->second.bytes ? &*entry : nullptr;
}

void* HostMemory::allocate(uint64_t bytes, const char* function) {
    if (bytes == 0) {
        raise(kInvalidParam, "an allocation of 0 bytes is not possible");
    }
    void* host = nullptr;
    if (bytes > UINT64_MAX - kHostPage ||
        posix_memalign(&host, kHostPage, (bytes + kHostPage - 1) / kHostPage * kHostPage) != 0) {
        raise(kRtMemoryAllocation, "the host has no {} bytes of memory left", bytes);
    }
    const std::unique_lock lock(mutex_);
    blocks_[reinterpret_cast<uintptr_t>(host)] = {
        .bytes = bytes, .function = function, .owned = true, .registered = false};
    return host;
}

void HostMemory::free(void* host) {
    {
        const std::unique_lock lock(mutex_);
        const auto entry = blocks_.find(reinterpret_cast<uintptr_t>(host));
        if (entry == blocks_.end() || !entry->second.owned) {
            raise(kRtParamInvalid, "{} was not given out by aclrtMallocHost, or is freed already",
                  fmt::ptr(host));
        }
        blocks_.erase(entry);
    }
    std::free(host);
}

void HostMemory::add(void* host, uint64_t bytes, const char* function) {
    const std::unique_lock lock(mutex_);
    const auto begin = reinterpret_cast<uintptr_t>(host);
    if (const auto entry = blocks_.find(begin); entry != blocks_.end() && entry->second.owned &&
                                                !entry->second.registered && bytes <= entry->second.bytes) {
        entry->second.registered = true;
        return;
    }
    const auto next = blocks_.lower_bound(begin);
    if (bytes == 0 || at(begin) != nullptr || (next != blocks_.end() && next->first - begin < bytes)) {
        raise(kRtParamInvalid,
              "[{}, + {} bytes) can't be registered: it is empty, or part of it is registered already",
              fmt::ptr(host), bytes);
    }
    blocks_[begin] = {.bytes = bytes, .function = function, .owned = false, .registered = true};
}

void HostMemory::remove(void* host) {
    const std::unique_lock lock(mutex_);
    const auto entry = blocks_.find(reinterpret_cast<uintptr_t>(host));
    if (entry == blocks_.end() || !entry->second.registered) {
        raise(kRtParamInvalid, "{} is not the first address of registered host memory", fmt::ptr(host));
    }
    if (entry->second.owned) {
        entry->second.registered = false;
    } else {
        blocks_.erase(entry);
    }
}

bool HostMemory::known(const void* host) const {
    const std::shared_lock lock(mutex_);
    return at(reinterpret_cast<uintptr_t>(host)) != nullptr;
}

bool HostMemory::device_visible(const void* host, uint64_t bytes) const {
    const std::shared_lock lock(mutex_);
    const auto address = reinterpret_cast<uintptr_t>(host);
    const auto* block = at(address);
    return block != nullptr && block->second.registered &&
           bytes <= block->second.bytes - (address - block->first);
}

std::string HostMemory::explain(const void* host) const {
    const std::shared_lock lock(mutex_);
    const auto* block = at(reinterpret_cast<uintptr_t>(host));
    if (block == nullptr) {
        return "it is an ordinary host address (the data_ptr of a CPU tensor?)";
    }
    return fmt::format("it is host memory ({} bytes from {})", block->second.bytes, block->second.function);
}

}  // namespace opweld::npu
