// The allocator that a program gives the graph engine for a stream. The program derives from both classes and
// has their code in it; here are their layouts.
#pragma once

#include <cstddef>

namespace ge {

class MemBlock;

class Allocator {
  public:
    Allocator() = default;
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;
    virtual ~Allocator() = default;

    // Null where there is no memory. A block of 0 bytes is a block.
    virtual MemBlock* Malloc(size_t size) = 0;
    virtual void Free(MemBlock* block) = 0;
    // `address`: where the caller would like the block.
    virtual MemBlock* MallocAdvise(size_t size, void* address) {
        static_cast<void>(address);
        return Malloc(size);
    }
};

// Memory with a count of its users; Free gives up one of them.
class MemBlock {
  public:
    MemBlock(Allocator& allocator, void* address, size_t size)
        : allocator_(allocator), address_(address), size_(size) {}
    MemBlock(const MemBlock&) = delete;
    MemBlock& operator=(const MemBlock&) = delete;
    virtual ~MemBlock() = default;

    void* GetAddr() { return address_; }
    size_t GetSize() const { return size_; }
    void Free() {
        if (count_ > 0 && --count_ == 0) {
            allocator_.Free(this);
        }
    }

  private:
    Allocator& allocator_;
    void* address_;
    size_t count_ = 1;
    size_t size_;
};

}  // namespace ge
