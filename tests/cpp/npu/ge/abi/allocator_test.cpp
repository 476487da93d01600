#include "npu/ge/abi/allocator.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace {

class Counting : public ge::Allocator {
  public:
    ge::MemBlock* Malloc(size_t size) override { return new ge::MemBlock(*this, memory.data(), size); }
    void Free(ge::MemBlock* block) override {
        ++frees;
        delete block;
    }

    std::array<char, 8> memory{};
    int frees = 0;
};

TEST(Allocator, LosesABlockWithItsLastUser) {
    Counting allocator;
    ge::MemBlock* block = allocator.MallocAdvise(8, nullptr);
    EXPECT_EQ(block->GetAddr(), allocator.memory.data());
    EXPECT_EQ(block->GetSize(), 8U);
    block->Free();
    EXPECT_EQ(allocator.frees, 1);
}

// torchair's libraries have the code of their own copy of these classes in them.
TEST(Allocator, HasTheLayoutThatProgramsWereBuiltWith) {
    struct Words {
        void* virtual_table;
        void* allocator;
        void* address;
        size_t count;
        size_t size;
    };
    static_assert(sizeof(ge::MemBlock) == sizeof(Words));
    Counting allocator;
    ge::MemBlock* block = allocator.Malloc(5);
    Words words{};
    std::memcpy(&words, static_cast<const void*>(block), sizeof words);
    EXPECT_EQ(words.allocator, &allocator);
    EXPECT_EQ(words.address, allocator.memory.data());
    EXPECT_EQ(words.count, 1U);
    EXPECT_EQ(words.size, 5U);
    block->Free();
}

}  // namespace
