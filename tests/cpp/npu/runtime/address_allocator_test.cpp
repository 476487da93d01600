#include "npu/runtime/address_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace opweld::npu {
namespace {

constexpr uintptr_t kBegin = 0x10000;
constexpr uintptr_t kEnd = 0x50000;

TEST(AddressAllocator, AlignsAndNeverOverlaps) {
    AddressAllocator allocator;
    allocator.add(kBegin + 16, kEnd);
    const uintptr_t first = allocator.take(100, 512);
    const uintptr_t second = allocator.take(100, 512);
    EXPECT_EQ(first % 512, 0U);
    EXPECT_EQ(second % 512, 0U);
    EXPECT_GE(second, first + 100);
}

TEST(AddressAllocator, TakesTheSmallestPartThatFits) {
    AddressAllocator allocator;
    allocator.add(kBegin, kEnd);
    const uintptr_t small = allocator.take(0x1000, 0x1000);
    const uintptr_t wall = allocator.take(0x1000, 0x1000);
    allocator.give(small, 0x1000);
    EXPECT_EQ(allocator.take(0x800, 0x200), small);
    EXPECT_NE(wall, small);
}

TEST(AddressAllocator, ReturnsNothingWhenNothingFits) {
    AddressAllocator allocator;
    allocator.add(kBegin, kEnd);
    EXPECT_EQ(allocator.take(kEnd - kBegin + 1, 1), 0U);
    EXPECT_NE(allocator.take(kEnd - kBegin, 1), 0U);
    EXPECT_EQ(allocator.take(1, 1), 0U);
}

TEST(AddressAllocator, TakesAWantedRangeOnlyIfAllOfItIsFree) {
    AddressAllocator allocator;
    allocator.add(kBegin, kEnd);
    EXPECT_TRUE(allocator.take_at(kBegin + 0x1000, 0x1000));
    EXPECT_FALSE(allocator.take_at(kBegin + 0x1800, 0x1000));
    EXPECT_FALSE(allocator.take_at(kEnd - 0x100, 0x200));
    EXPECT_FALSE(allocator.take_at(kBegin - 0x100, 0x10));
    EXPECT_TRUE(allocator.take_at(kBegin, 0x1000));
}

TEST(AddressAllocator, JoinsNeighboursAfterAnyOrderOfReleases) {
    AddressAllocator allocator;
    allocator.add(kBegin, kEnd);
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::pair<uintptr_t, uint64_t>> taken;
        while (true) {
            const uint64_t length = 1 + random() % 0x3000;
            const uintptr_t begin = allocator.take(length, 1);
            if (begin == 0) {
                break;
            }
            taken.emplace_back(begin, length);
        }
        ASSERT_FALSE(taken.empty());
        std::shuffle(taken.begin(), taken.end(), random);
        for (const auto& [begin, length] : taken) {
            allocator.give(begin, length);
        }
        ASSERT_EQ(allocator.take(kEnd - kBegin, 1), kBegin);
        allocator.give(kBegin, kEnd - kBegin);
    }
}

}  // namespace
}  // namespace opweld::npu
