#include "npu/runtime/address_allocator.h"

#include <iterator>

namespace opweld::npu {

void AddressAllocator::insert(uintptr_t begin, uintptr_t end) {
    if (begin != end) {
        by_address_.emplace(begin, end);
        by_length_.emplace(end - begin, begin);
    }
}

void AddressAllocator::erase(std::map<uintptr_t, uintptr_t>::iterator part) {
    by_length_.erase({part->second - part->first, part->first});
    by_address_.erase(part);
}

void AddressAllocator::cut(std::map<uintptr_t, uintptr_t>::iterator part, uintptr_t begin, uintptr_t end) {
    const auto [part_begin, part_end] = *part;
    erase(part);
    insert(part_begin, begin);
    insert(end, part_end);
}

void AddressAllocator::add(uintptr_t begin, uintptr_t end) { insert(begin, end); }

uintptr_t AddressAllocator::take(uint64_t length, uint64_t alignment) {
    for (auto entry = by_length_.lower_bound({length, 0}); entry != by_length_.end(); ++entry) {
        const auto [free_length, free_begin] = *entry;
        const uintptr_t begin = (free_begin + alignment - 1) & ~(alignment - 1);
        if (begin - free_begin <= free_length - length) {
            cut(by_address_.find(free_begin), begin, begin + length);
            return begin;
        }
    }
    return 0;
}

bool AddressAllocator::take_at(uintptr_t begin, uint64_t length) {
    auto part = by_address_.upper_bound(begin);
    if (part == by_address_.begin()) {
        return false;
    }
    --part;
    if (part->second < begin || part->second - begin < length) {
        return false;
    }
    cut(part, begin, begin + length);
    return true;
}

void AddressAllocator::give(uintptr_t begin, uint64_t length) {
    uintptr_t end = begin + length;
    auto next = by_address_.lower_bound(begin);
    if (next != by_address_.end() && next->first == end) {
        end = next->second;
        erase(next);
    }
    auto after = by_address_.lower_bound(begin);
    if (after != by_address_.begin()) {
        const auto before = std::prev(after);
        if (before->second == begin) {
            begin = before->first;
            erase(before);
        }
    }
    insert(begin, end);
}

}  // namespace opweld::npu
