// Which device addresses are live, what became of those that are not, and the story to tell about either.
//
// Looking up an address is lock-free where one allocation owns a whole 2 MiB page (all of PyTorch's do), and
// takes a shared lock otherwise. add() and remove() are safe beside lookups; a lookup of an allocation that
// another thread is freeing may still succeed.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace opweld::npu {

enum class AllocationKind : uint8_t { heap, mapped };

// Where a piece of device memory comes from. The fields that lookups read without a lock are atomic; the
// others change only while the map's lock is held.
struct Allocation {
    std::atomic<uintptr_t> begin{0};
    std::atomic<uint64_t> size{0};  // bytes the program asked for
    uint64_t extent = 0;            // bytes of addresses
    uint64_t ordinal = 0;           // the n-th allocation of the process, from 1
    int device = 0;
    AllocationKind kind = AllocationKind::heap;
    const char* function = "";  // entry point
    const char* module = "";    // file of the code that called it
    pid_t thread = 0;
    const char* freed_by = nullptr;
};

class AllocationMap {
  public:
    static constexpr uint64_t kPage = uint64_t{2} << 20;

    // Covers addresses from `begin`; called once, before any other function. Throws AclException.
    void cover(uintptr_t begin, uint64_t length);

    // Registers an allocation; `allocation` is filled but for the ordinal.
    void add(std::unique_ptr<Allocation> allocation);

    // Removes the allocation that begins at `begin` and returns what it was; null where none begins there.
    std::unique_ptr<Allocation> remove(uintptr_t begin, const char* function);

    // Whether [address, address + bytes) lies in one live allocation (or in mapped ones that follow each
    // other).
    bool live(uintptr_t address, uint64_t bytes) const noexcept;

    // The live allocation that holds an address, copied. Returns false where there is none.
    bool find(uintptr_t address, Allocation& copy) const;

    // Why [address, address + bytes) is not live: the sentence for the message.
    std::string explain(uintptr_t address, uint64_t bytes) const;

    // The same for one address, from a signal handler: writes to `text` without allocating; takes no lock
    // that is held. Returns the length.
    size_t explain_fault(uintptr_t address, char* text, size_t size) const noexcept;

    // All live allocations that begin in [begin, end): for tearing a device down.
    std::vector<uintptr_t> within(uintptr_t begin, uintptr_t end) const;

    std::shared_mutex& mutex() const noexcept { return mutex_; }

  private:
    const Allocation* at(uintptr_t address) const noexcept;
    const Allocation* freed_at(uintptr_t address) const noexcept;
    bool live_slow(uintptr_t address, uint64_t bytes) const;

    static constexpr size_t kHistory = 1024;

    mutable std::shared_mutex mutex_;
    uintptr_t begin_ = 0;
    size_t page_count_ = 0;
    std::atomic<const Allocation*>* pages_ = nullptr;  // the allocation that owns the whole page, or null
    std::map<uintptr_t, std::unique_ptr<Allocation>> live_;
    std::deque<std::unique_ptr<Allocation>> freed_;  // newest last
    uint64_t next_ordinal_ = 1;
};

}  // namespace opweld::npu
