// Hands out parts of an address range: best fit, neighbours joined on release. Not thread-safe; owns no
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace opweld::npu {

class AddressAllocator {
  public:
    // Makes [begin, end) available. Called once.
    void add(uintptr_t begin, uintptr_t end);

    // `length` bytes at a multiple of `alignment` (a power of two); 0 where no free part is long enough.
    uintptr_t take(uint64_t length, uint64_t alignment);

    // Exactly [begin, begin + length), if all of it is free.
    bool take_at(uintptr_t begin, uint64_t length);

    // Gives back what take() gave, with the same length.
    void give(uintptr_t begin, uint64_t length);

  private:
    void insert(uintptr_t begin, uintptr_t end);
    void erase(std::map<uintptr_t, uintptr_t>::iterator part);
    void cut(std::map<uintptr_t, uintptr_t>::iterator part, uintptr_t begin, uintptr_t end);

    std::map<uintptr_t, uintptr_t> by_address_;           // begin -> end
    std::set<std::pair<uint64_t, uintptr_t>> by_length_;  // (length, begin)
};

}  // namespace opweld::npu
