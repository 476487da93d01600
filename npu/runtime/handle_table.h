// Handles that can be checked: the pointer a program holds is the address of a slot in the table of its type,
// so a foreign pointer or the handle of a destroyed object is told from a live one without touching it.
//
// Safe from any thread. Using a handle costs two atomic operations and no lock. A slot is used again only
// after many others, so a stale handle is found for a good while.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "npu/runtime/error.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OPWELD_LEAK_CHECK
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define OPWELD_LEAK_CHECK
#endif
#ifdef OPWELD_LEAK_CHECK
#include <sanitizer/lsan_interface.h>
#endif

namespace opweld::npu {

template <class T>
class HandleTable {
    struct alignas(64) Slot {
        std::atomic<T*> object;
        std::atomic<uint32_t> users;
        std::atomic<bool> used_before;
    };

  public:
    static constexpr size_t kCapacity = size_t{1} << 20;
    static constexpr size_t kRestedSlots =
        4096;  // destroyed slots kept aside before the oldest is used again

    // `kind` is the word for messages ("stream"), `full` the code for a full table.
    HandleTable(const char* kind, int full) : kind_(kind), full_(full) {
        void* slots = mmap(nullptr, kCapacity * sizeof(Slot), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slots == MAP_FAILED) {
            raise(kBadAlloc, "the host has no memory for the table of {}s", kind);
        }
        slots_ = static_cast<Slot*>(slots);
#ifdef OPWELD_LEAK_CHECK
        // What a program has not destroyed is still held, by the slots.
        __lsan_register_root_region(slots, kCapacity * sizeof(Slot));
#endif
    }

    // An object that can't be destroyed while the pin exists.
    class Pin {
      public:
        Pin(Pin&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)), object_(other.object_) {}
        Pin& operator=(Pin&&) = delete;
        Pin(const Pin&) = delete;
        ~Pin() {
            if (slot_ != nullptr) {
                leave(*slot_);
            }
        }
        T& operator*() const noexcept { return *object_; }
        T* operator->() const noexcept { return object_; }

      private:
        friend class HandleTable;
        Pin(Slot* slot, T* object) noexcept : slot_(slot), object_(object) {}
        Slot* slot_;
        T* object_;
    };

    void* add(std::unique_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        Slot* slot = nullptr;
        if (rested_.size() >= kRestedSlots || (next_ == kCapacity && !rested_.empty())) {
            slot = rested_.front();
            rested_.pop_front();
        } else if (next_ < kCapacity) {
            slot = &slots_[next_++];
        } else {
            raise(full_, "{} {}s exist already; no more are possible", kCapacity, kind_);
        }
        slot->used_before.store(true, std::memory_order_relaxed);
        slot->object.store(object.release(), std::memory_order_seq_cst);
        ++live_;
        return slot;
    }

    // The live object of a handle. Raises ACL_ERROR_RT_INVALID_HANDLE that says what the pointer is instead.
    Pin get(const void* handle) const {
        Slot* slot = slot_of(handle);
        if (slot != nullptr) [[likely]] {
            slot->users.fetch_add(1, std::memory_order_seq_cst);
            if (T* object = slot->object.load(std::memory_order_seq_cst); object != nullptr) [[likely]] {
                return Pin(slot, object);
            }
            leave(*slot);
        }
        refuse(handle, slot);
    }

    bool live(const void* handle) const noexcept {
        const Slot* slot = slot_of(handle);
        return slot != nullptr && slot->object.load(std::memory_order_seq_cst) != nullptr;
    }
    // Whether the pointer is, or was, a handle of this table.
    bool issued(const void* handle) const noexcept {
        const Slot* slot = slot_of(handle);
        return slot != nullptr && slot->used_before.load(std::memory_order_relaxed);
    }

    // Takes the object out, after all pins are gone. Raises as get() does.
    std::unique_ptr<T> remove(const void* handle) {
        Slot* slot = slot_of(handle);
        T* object = slot == nullptr ? nullptr : slot->object.exchange(nullptr, std::memory_order_seq_cst);
        if (object == nullptr) {
            refuse(handle, slot);
        }
        std::unique_ptr<T> owner(object);
        for (uint32_t users = slot->users.load(std::memory_order_seq_cst); users != 0;
             users = slot->users.load(std::memory_order_seq_cst)) {
            slot->users.wait(users, std::memory_order_seq_cst);
        }
        const std::lock_guard lock(mutex_);
        rested_.push_back(slot);
        --live_;
        return owner;
    }

    size_t size() const {
        const std::lock_guard lock(mutex_);
        return live_;
    }

    std::mutex& mutex() const noexcept { return mutex_; }

  private:
    static void leave(Slot& slot) noexcept {
        if (slot.users.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
            slot.object.load(std::memory_order_seq_cst) == nullptr) {
            slot.users.notify_all();
        }
    }

    Slot* slot_of(const void* handle) const noexcept {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(handle) - reinterpret_cast<uintptr_t>(slots_);
        return offset < kCapacity * sizeof(Slot) && offset % sizeof(Slot) == 0
                   ? &slots_[offset / sizeof(Slot)]
                   : nullptr;
    }

    [[noreturn]] void refuse(const void* handle, const Slot* slot) const {
        if (slot != nullptr && slot->used_before.load(std::memory_order_relaxed)) {
            raise(kRtInvalidHandle, "{} {} was destroyed already", kind_, fmt::ptr(handle));
        }
        raise(kRtInvalidHandle, "{} is not a {}", fmt::ptr(handle), kind_);
    }

    const char* kind_;
    int full_;
    Slot* slots_ = nullptr;
    mutable std::mutex mutex_;
    std::deque<Slot*> rested_;
    size_t next_ = 0;
    size_t live_ = 0;
};

}  // namespace opweld::npu
