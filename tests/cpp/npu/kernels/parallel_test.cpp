#include "npu/kernels/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace opweld::npu::kernels {
namespace {

class ParallelFor : public testing::Test {
  protected:
    ParallelFor() { at::set_num_threads(kThreads); }
    ~ParallelFor() override { at::set_num_threads(before_); }

    static constexpr int kThreads = 3;

  private:
    int before_ = at::get_num_threads();
};

TEST_F(ParallelFor, VisitsEachNumberOnceOnSeveralThreads) {
    constexpr int64_t kCount = 1000;
    std::vector<std::atomic<int>> visits(kCount);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    parallel_for(0, kCount, 1, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
            ++visits[static_cast<size_t>(i)];
        }
        const std::scoped_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
    });
    EXPECT_TRUE(std::ranges::all_of(visits, [](const auto& count) { return count == 1; }));
    EXPECT_EQ(threads.size(), kThreads);
}

TEST_F(ParallelFor, GivesEachThreadAsMuchAsTheGrain) {
    std::atomic<int> parts = 0;
    parallel_for(0, 100, 50, [&](int64_t, int64_t) { ++parts; });
    EXPECT_EQ(parts, 2);
}

TEST_F(ParallelFor, RunsInnerLoopsOnTheirThread) {
    std::atomic<int> moved = 0;
    parallel_for(0, kThreads, 1, [&](int64_t, int64_t) {
        const auto outer = std::this_thread::get_id();
        parallel_for(0, 100, 1,
                     [&](int64_t, int64_t) { moved += std::this_thread::get_id() == outer ? 0 : 1; });
    });
    EXPECT_EQ(moved, 0);
}

TEST_F(ParallelFor, RethrowsWhatAPartThrows) {
    const auto thrower = [](int64_t first, int64_t last) {
        if (first <= 70 && 70 < last) {
            throw std::runtime_error("seventy");
        }
    };
    EXPECT_THROW(parallel_for(0, 100, 1, thrower), std::runtime_error);
}

TEST_F(ParallelFor, DoesNothingForAnEmptyRange) {
    parallel_for(5, 5, 1, [](int64_t, int64_t) { FAIL(); });
}

}  // namespace
}  // namespace opweld::npu::kernels
