#include "npu/runtime/allocation_map.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

#include "npu/runtime/error.h"

namespace opweld::npu {
namespace {

void copy_fields(const Allocation& from, Allocation& to) {
    to.begin.store(from.begin.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.size.store(from.size.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.extent = from.extent;
    to.ordinal = from.ordinal;
    to.device = from.device;
    to.kind = from.kind;
    to.function = from.function;
    to.module = from.module;
    to.thread = from.thread;
    to.freed_by = from.freed_by;
}

uintptr_t begin_of(const Allocation& allocation) { return allocation.begin.load(std::memory_order_relaxed); }
uintptr_t end_of(const Allocation& allocation) {
    return begin_of(allocation) + allocation.size.load(std::memory_order_relaxed);
}

// "allocation 12 (4096 bytes at 0x7f.. on device 0, made by aclrtMalloc for libfoo.so in thread 17)"
constexpr size_t kStoryLength = 512;

size_t write_story(std::array<char, kStoryLength>& text, const Allocation& allocation) {
    const auto written = fmt::format_to_n(
        text.data(), text.size(),
        "allocation {} ({} bytes at {:#x} on device {}, made by {} for {} in thread {})", allocation.ordinal,
        allocation.size.load(std::memory_order_relaxed), begin_of(allocation), allocation.device,
        allocation.function, allocation.module, allocation.thread);
    return std::min(written.size, text.size());
}

std::string story(const Allocation& allocation) {
    std::array<char, kStoryLength> text{};
    return {text.data(), write_story(text, allocation)};
}

}  // namespace

void AllocationMap::cover(uintptr_t begin, uint64_t length) {
    begin_ = begin;
    page_count_ = length / kPage;
    void* table = mmap(nullptr, page_count_ * sizeof(*pages_), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) {
        raise(kRtMemoryAllocation, "the host has no memory for the table of device pages");
    }
    pages_ = static_cast<std::atomic<const Allocation*>*>(table);
}

void AllocationMap::add(std::unique_ptr<Allocation> allocation) {
    const std::unique_lock lock(mutex_);
    const Allocation& added = *allocation;
    allocation->ordinal = next_ordinal_++;
    const uintptr_t begin = begin_of(added);
    live_.emplace(begin, std::move(allocation));
    if ((begin - begin_) % kPage == 0) {
        const size_t first = (begin - begin_) / kPage;
        for (size_t page = first; page < first + added.extent / kPage; ++page) {
            pages_[page].store(&added, std::memory_order_release);
        }
    }
}

std::unique_ptr<Allocation> AllocationMap::remove(uintptr_t begin, const char* function) {
    const std::unique_lock lock(mutex_);
    const auto entry = live_.find(begin);
    if (entry == live_.end()) {
        return nullptr;
    }
    std::unique_ptr<Allocation> removed = std::move(entry->second);
    live_.erase(entry);
    if ((begin - begin_) % kPage == 0) {
        const size_t first = (begin - begin_) / kPage;
        for (size_t page = first; page < first + removed->extent / kPage; ++page) {
            pages_[page].store(nullptr, std::memory_order_release);
        }
    }
    auto copy = std::make_unique<Allocation>();
    removed->freed_by = function;
    copy_fields(*removed, *copy);
    freed_.push_back(std::move(removed));
    if (freed_.size() > kHistory) {
        freed_.pop_front();
    }
    return copy;
}

bool AllocationMap::live(uintptr_t address, uint64_t bytes) const noexcept {
    const size_t page = (address - begin_) / kPage;
    if (page < page_count_) {
        const Allocation* owner = pages_[page].load(std::memory_order_acquire);
        if (owner != nullptr) {
            const uintptr_t offset = address - owner->begin.load(std::memory_order_relaxed);
            const uint64_t size = owner->size.load(std::memory_order_relaxed);
            if (offset <= size && bytes <= size - offset) {
                return true;
            }
        }
    }
    return live_slow(address, bytes);
}

bool AllocationMap::live_slow(uintptr_t address, uint64_t bytes) const {
    const std::shared_lock lock(mutex_);
    const Allocation* allocation = at(address);
    while (allocation != nullptr) {
        const uint64_t available = end_of(*allocation) - address;
        if (bytes <= available) {
            return true;
        }
        if (allocation->kind != AllocationKind::mapped) {
            return false;
        }
        address += available;
        bytes -= available;
        allocation = at(address);
        if (allocation != nullptr && allocation->kind != AllocationKind::mapped) {
            return false;
        }
    }
    return false;
}

const Allocation* AllocationMap::at(uintptr_t address) const noexcept {
    auto entry = live_.upper_bound(address);
    if (entry == live_.begin()) {
        return nullptr;
    }
    const Allocation& allocation = *std::prev(entry)->second;
    return address < end_of(allocation) ? &allocation : nullptr;
}

const Allocation* AllocationMap::freed_at(uintptr_t address) const noexcept {
    const auto entry = std::find_if(freed_.rbegin(), freed_.rend(), [&](const auto& freed) {
        return address >= begin_of(*freed) && address < begin_of(*freed) + freed->extent;
    });
    return entry == freed_.rend() ? nullptr : entry->get();
}

bool AllocationMap::find(uintptr_t address, Allocation& copy) const {
    const std::shared_lock lock(mutex_);
    const Allocation* allocation = at(address);
    if (allocation == nullptr) {
        return false;
    }
    copy_fields(*allocation, copy);
    return true;
}

std::string AllocationMap::explain(uintptr_t address, uint64_t bytes) const {
    const std::shared_lock lock(mutex_);
    if (const Allocation* allocation = at(address); allocation != nullptr) {
        return fmt::format(
            "{} bytes from {:#x} pass the end of {}: only {} bytes are left at this offset ({})", bytes,
            address, story(*allocation), end_of(*allocation) - address, address - begin_of(*allocation));
    }
    if (const Allocation* freed = freed_at(address); freed != nullptr) {
        return fmt::format("{:#x} lies at offset {} of {}, which was freed by {}", address,
                           address - begin_of(*freed), story(*freed), freed->freed_by);
    }
    auto entry = live_.upper_bound(address);
    if (entry != live_.begin()) {
        const Allocation& before = *std::prev(entry)->second;
        if (address - end_of(before) < kPage) {
            return fmt::format("{:#x} lies {} bytes behind the end of {}", address, address - end_of(before),
                               story(before));
        }
    }
    return fmt::format("{:#x} is an address of the NPU that no allocation covers", address);
}

size_t AllocationMap::explain_fault(uintptr_t address, char* text, size_t size) const noexcept {
    const auto finish = [&](const auto& result) { return std::min(static_cast<size_t>(result.size), size); };
    try {
        const std::shared_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) {
            return finish(fmt::format_to_n(text, size, "the allocation is unknown: its table is in use"));
        }
        std::array<char, kStoryLength> told{};
        if (const Allocation* allocation = at(address); allocation != nullptr) {
            const std::string_view story(told.data(), write_story(told, *allocation));
            return finish(fmt::format_to_n(text, size, "it lies at offset {} of {}",
                                           address - begin_of(*allocation), story));
        }
        if (const Allocation* freed = freed_at(address); freed != nullptr) {
            const std::string_view story(told.data(), write_story(told, *freed));
            return finish(fmt::format_to_n(text, size, "it lies at offset {} of {}, which was freed by {}",
                                           address - begin_of(*freed), story, freed->freed_by));
        }
        return finish(fmt::format_to_n(text, size, "no allocation covers it"));
    } catch (...) {
        return 0;
    }
}

std::vector<uintptr_t> AllocationMap::within(uintptr_t begin, uintptr_t end) const {
    const std::shared_lock lock(mutex_);
    std::vector<uintptr_t> found;
    for (auto entry = live_.lower_bound(begin); entry != live_.end() && entry->first < end; ++entry) {
        found.push_back(entry->first);
    }
    return found;
}

}  // namespace opweld::npu
