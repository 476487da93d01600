// Host memory that the runtime knows of: pinned memory it gave out, and memory the program registered.
// Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>

namespace opweld::npu {

class HostMemory {
  public:
    static HostMemory& instance();

    // Pinned host memory at a multiple of 4096. Raises 207001 where the host has none.
    void* allocate(uint64_t bytes, const char* function);
    void free(void* host);

    // Registers [host, host + bytes), ordinary or pinned memory; kernels may then touch it at the same
    // address.
    void add(void* host, uint64_t bytes, const char* function);
    void remove(void* host);

    bool known(const void* host) const;
    // Whether a kernel may touch [host, host + bytes), which is so for registered memory.
    bool device_visible(const void* host, uint64_t bytes) const;
    // What an address is that is no device memory: the second half of a message.
    std::string explain(const void* host) const;

    std::shared_mutex& mutex() const noexcept { return mutex_; }

  private:
    struct Block {
        uint64_t bytes;
        const char* function;
        bool owned;       // by the runtime: pinned memory
        bool registered;  // visible to kernels
    };
    const std::pair<const uintptr_t, Block>* at(uintptr_t address) const;

    mutable std::shared_mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
};

}  // namespace opweld::npu
