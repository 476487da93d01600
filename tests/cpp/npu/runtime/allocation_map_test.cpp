#include "npu/runtime/allocation_map.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace opweld::npu {
namespace {

constexpr uint64_t kPage = AllocationMap::kPage;
constexpr uintptr_t kBegin = 64 * kPage;

class AllocationMapTest : public ::testing::Test {
  protected:
    void SetUp() override { map_.cover(kBegin, 64 * kPage); }

    void add(uintptr_t begin, uint64_t size, AllocationKind kind = AllocationKind::heap) {
        auto allocation = std::make_unique<Allocation>();
        allocation->begin = begin;
        allocation->size = size;
        allocation->extent = size < kPage ? size : (size + kPage - 1) / kPage * kPage;
        allocation->kind = kind;
        allocation->function = "aclrtMalloc";
        allocation->module = "libtest.so";
        map_.add(std::move(allocation));
    }

    bool says(uintptr_t address, uint64_t bytes, std::string_view words) const {
        const std::string text = map_.explain(address, bytes);
        return text.find(words) != std::string::npos;
    }

    AllocationMap map_;
};

TEST_F(AllocationMapTest, KnowsTheBoundsOfLargeAndSmallAllocations) {
    add(kBegin, 3 * kPage - 5);
    add(kBegin + 4 * kPage, 512);
    add(kBegin + 4 * kPage + 512, 100);
    EXPECT_TRUE(map_.live(kBegin, 3 * kPage - 5));
    EXPECT_FALSE(map_.live(kBegin, 3 * kPage - 4));
    EXPECT_TRUE(map_.live(kBegin + 2 * kPage, kPage - 5));
    EXPECT_FALSE(map_.live(kBegin + 2 * kPage, kPage));
    EXPECT_TRUE(map_.live(kBegin + 4 * kPage + 512, 100));
    EXPECT_FALSE(map_.live(kBegin + 4 * kPage, 513));
    EXPECT_FALSE(map_.live(kBegin + 4 * kPage + 612, 1));
    EXPECT_FALSE(map_.live(kBegin - 1, 1));
    EXPECT_FALSE(map_.live(kBegin + 200 * kPage, 1));
    EXPECT_FALSE(map_.live(kBegin, UINT64_MAX));
}

TEST_F(AllocationMapTest, LooksThroughMappingsThatFollowEachOther) {
    add(kBegin, kPage, AllocationKind::mapped);
    add(kBegin + kPage, kPage, AllocationKind::mapped);
    add(kBegin + 2 * kPage, kPage, AllocationKind::heap);
    EXPECT_TRUE(map_.live(kBegin + kPage / 2, kPage));
    EXPECT_FALSE(map_.live(kBegin + kPage, kPage + 1));
}

TEST_F(AllocationMapTest, ForgetsWhatWasRemovedButTellsItsStory) {
    add(kBegin, 2 * kPage);
    ASSERT_NE(map_.remove(kBegin, "aclrtFree"), nullptr);
    EXPECT_EQ(map_.remove(kBegin, "aclrtFree"), nullptr);
    EXPECT_FALSE(map_.live(kBegin, 1));
    EXPECT_TRUE(says(kBegin + 40, 1, "offset 40 of allocation 1 (4194304 bytes"));
    EXPECT_TRUE(says(kBegin + 40, 1, "which was freed by aclrtFree"));
}

TEST_F(AllocationMapTest, ExplainsOverrunsAndNeighbours) {
    add(kBegin, 1024);
    EXPECT_TRUE(says(kBegin + 1000, 25, "25 bytes from"));
    EXPECT_TRUE(says(kBegin + 1000, 25, "only 24 bytes are left at this offset (1000)"));
    EXPECT_TRUE(says(kBegin + 1030, 1, "lies 6 bytes behind the end of allocation 1"));
    EXPECT_TRUE(says(kBegin + 50 * kPage, 1, "no allocation covers"));
}

TEST_F(AllocationMapTest, ExplainsAFaultWithoutOverrunningTheBuffer) {
    add(kBegin, 1024);
    std::array<char, 20> tight{};
    EXPECT_EQ(map_.explain_fault(kBegin + 8, tight.data(), tight.size()), tight.size());
    std::array<char, 512> text{};
    const size_t length = map_.explain_fault(kBegin + 8, text.data(), text.size());
    const std::string_view told(text.data(), length);
    EXPECT_NE(told.find("offset 8 of allocation 1 (1024 bytes"), std::string_view::npos) << told;
}

}  // namespace
}  // namespace opweld::npu
