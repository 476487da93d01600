#include "npu/ge/engine/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace opweld::npu::graph {
namespace {

void expect_apart(const std::vector<Lifetime>& lifetimes, const MemoryPlan& plan) {
    ASSERT_EQ(plan.offsets.size(), lifetimes.size());
    for (size_t i = 0; i < lifetimes.size(); ++i) {
        EXPECT_EQ(plan.offsets[i] % kMemoryAlignment, 0U);
        EXPECT_LE(plan.offsets[i] + lifetimes[i].bytes, plan.bytes);
        for (size_t j = 0; j < i; ++j) {
            const bool meet =
                lifetimes[i].first <= lifetimes[j].last && lifetimes[j].first <= lifetimes[i].last;
            const bool overlap = plan.offsets[i] < plan.offsets[j] + lifetimes[j].bytes &&
                                 plan.offsets[j] < plan.offsets[i] + lifetimes[i].bytes;
            EXPECT_FALSE(meet && overlap) << i << " and " << j;
        }
    }
}

TEST(MemoryPlan, NothingNeedsNothing) {
    const MemoryPlan plan = plan_memory({});
    EXPECT_EQ(plan.bytes, 0U);
    EXPECT_EQ(plan.largest_live_set, 0U);
}

TEST(MemoryPlan, AChainNeedsTwoPlaces) {
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 10; ++i) {
        lifetimes.push_back({.bytes = 256, .first = i, .last = i + 1});
    }
    const MemoryPlan plan = plan_memory(lifetimes);
    expect_apart(lifetimes, plan);
    EXPECT_EQ(plan.bytes, 512U);
    EXPECT_EQ(plan.without_reuse, 2560U);
}

TEST(MemoryPlan, ASmallResultTakesTheSmallestGap) {
    const std::vector<Lifetime> lifetimes{{.bytes = 1024, .first = 0, .last = 9},
                                          {.bytes = 512, .first = 0, .last = 1},
                                          {.bytes = 512, .first = 0, .last = 9},
                                          {.bytes = 64, .first = 3, .last = 4}};
    const MemoryPlan plan = plan_memory(lifetimes);
    expect_apart(lifetimes, plan);
    EXPECT_EQ(plan.bytes, plan.largest_live_set);
}

TEST(MemoryPlan, RandomLifetimesNeverShareBytes) {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        std::vector<Lifetime> lifetimes;
        for (int i = 0; i < 60; ++i) {
            const int first = static_cast<int>(random() % 40);
            lifetimes.push_back(
                {.bytes = random() % 5000, .first = first, .last = first + static_cast<int>(random() % 12)});
        }
        const MemoryPlan plan = plan_memory(lifetimes);
        expect_apart(lifetimes, plan);
        EXPECT_GE(plan.bytes, plan.largest_live_set);
        EXPECT_LE(plan.bytes, plan.without_reuse);
    }
}

}  // namespace
}  // namespace opweld::npu::graph
