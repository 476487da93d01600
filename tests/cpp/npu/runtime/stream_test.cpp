#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "npu/runtime/own_thread.h"
#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class StreamTest : public RuntimeTest {};

int status_of(void* stream) {
    int status = -1;
    EXPECT_EQ(aclrtStreamQuery(stream, &status), 0) << message();
    return status;
}

TEST_F(StreamTest, RunsTasksInOrder) {
    void* stream = make_stream();
    std::vector<int> order;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(launch(stream, [&order, i] { order.push_back(i); }), 0);
    }
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    ASSERT_EQ(order.size(), 1000U);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, WhatWantsTheStreamsOwnThreadRunsThereInOrder) {
    void* stream = make_stream();
    std::vector<int> order;
    std::thread::id first;
    std::thread::id second;
    const auto on_own_thread = [&](std::thread::id& id, int number) {
        return enqueue_on_own_thread(stream, std::make_unique<FunctionTask>("graph", [&order, &id, number] {
                                         id = std::this_thread::get_id();
                                         order.push_back(number);
                                     }));
    };
    ASSERT_EQ(on_own_thread(first, 1), 0) << message();
    ASSERT_EQ(launch(stream, [&order] { order.push_back(2); }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    ASSERT_EQ(on_own_thread(second, 3), 0) << message();
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_NE(first, std::this_thread::get_id());
    EXPECT_EQ(first, second);
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, WhoBringsWorkFasterThanItRunsWaits) {
    constexpr int kTasks = 2000;
    void* stream = make_stream();
    std::atomic<int> brought = 0;
    std::atomic<int> ran = 0;
    std::atomic<int> furthest = 0;
    for (int i = 0; i < kTasks; ++i) {
        ASSERT_EQ(enqueue_on_own_thread(
                      stream, std::make_unique<FunctionTask>(
                                  "graph",
                                  [&] {
                                      furthest = std::max(furthest.load(), brought.load() - ran.load());
                                      std::this_thread::sleep_for(std::chrono::microseconds(20));
                                      ++ran;
                                  })),
                  0);
        ++brought;
    }
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(ran, kTasks);
    EXPECT_LE(furthest, 300);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, AFailureOnTheStreamsOwnThreadIsReportedByTheNextSynchronisation) {
    void* stream = make_stream();
    ASSERT_EQ(enqueue_on_own_thread(stream, std::make_unique<FunctionTask>(
                                                "graph", [] { throw std::runtime_error("it broke"); })),
              0);
    EXPECT_NE(aclrtSynchronizeStream(stream), 0);
    EXPECT_NE(message().find("it broke"), std::string::npos);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, TheNullStreamIsTheContextsDefaultStream) {
    bool ran = false;
    ASSERT_EQ(launch(nullptr, [&] { ran = true; }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), 0);
    EXPECT_TRUE(ran);
    void* stream = nullptr;
    ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), 0);
    int32_t by_null = -1;
    int32_t by_handle = -2;
    ASSERT_EQ(aclrtStreamGetId(nullptr, &by_null), 0);
    ASSERT_EQ(aclrtStreamGetId(stream, &by_handle), 0);
    EXPECT_EQ(by_null, by_handle);
}

TEST_F(StreamTest, StreamsRunBesideEachOther) {
    void* held = make_stream();
    void* free = make_stream();
    std::atomic<bool> held_ran{false};
    bool free_ran = false;
    Barrier barrier(held);
    ASSERT_EQ(launch(held, [&] { held_ran = true; }), 0);
    ASSERT_EQ(launch(free, [&] { free_ran = true; }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(free), 0);
    EXPECT_TRUE(free_ran);
    EXPECT_FALSE(held_ran);
    EXPECT_EQ(status_of(held), 1);
    EXPECT_EQ(status_of(free), 0);
    barrier.open();
    ASSERT_EQ(aclrtSynchronizeDevice(), 0);
    EXPECT_TRUE(held_ran);
    EXPECT_EQ(status_of(held), 0);
    EXPECT_EQ(aclrtDestroyStream(held), 0);
    EXPECT_EQ(aclrtDestroyStream(free), 0);
}

TEST_F(StreamTest, WorkBehindAWaitStaysInOrder) {
    void* stream = make_stream();
    std::vector<int> order;
    for (int round = 0; round < 20; ++round) {
        Barrier barrier(stream);
        for (int i = 0; i < 10; ++i) {
            ASSERT_EQ(launch(stream, [&order, round, i] { order.push_back(round * 10 + i); }), 0);
        }
        barrier.open();
        ASSERT_EQ(launch(stream, [] {}), 0);
        if (round % 3 == 0) {
            ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
        }
    }
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(order.size(), 200U);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, TimeoutsReportAndTheWorkGoesOn) {
    void* stream = make_stream();
    std::atomic<bool> ran{false};
    Barrier barrier(stream);
    ASSERT_EQ(launch(stream, [&] { ran = true; }), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), kRtStreamSyncTimeout);
    EXPECT_NE(message().find("has not finished its work after 20 ms"), std::string::npos);
    EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(20), kRtStreamSyncTimeout);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -5), kRtParamInvalid);
    EXPECT_FALSE(ran);
    barrier.open();
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -1), 0) << message();
    EXPECT_TRUE(ran);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, DestroyingWaitsAndForcedDestroyingDrops) {
    std::atomic<int> ran{0};
    void* stream = make_stream();
    {
        Barrier barrier(stream);
        ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            aclrtSetDevice(0);
            barrier.open();
        });
        EXPECT_EQ(aclrtDestroyStream(stream), 0) << message();
        opener.join();
    }
    EXPECT_EQ(ran, 1);
    void* dropped = make_stream();
    Barrier barrier(dropped);
    ASSERT_EQ(launch(dropped, [&] { ++ran; }), 0);
    EXPECT_EQ(aclrtDestroyStreamForce(dropped), 0) << message();
    EXPECT_EQ(ran, 1);
}

TEST_F(StreamTest, AbortingDropsWhatIsQueuedAndSaysSo) {
    void* stream = make_stream();
    std::atomic<int> ran{0};
    Barrier barrier(stream);
    void* event = make_event();
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    ASSERT_EQ(aclrtStreamAbort(stream), 0) << message();
    EXPECT_EQ(aclrtSynchronizeEvent(event), 0) << "nobody may wait for a dropped record";
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtStreamAbort);
    EXPECT_EQ(ran, 0);
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << message();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
    EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

TEST_F(StreamTest, AbortingADeviceReachesAllItsStreams) {
    void* one = make_stream();
    void* two = make_stream();
    {
        Barrier first(one);
        Barrier second(two);
        ASSERT_EQ(launch(one, [] { ADD_FAILURE(); }), 0);
        ASSERT_EQ(launch(two, [] { ADD_FAILURE(); }), 0);
        ASSERT_EQ(aclrtDeviceTaskAbort(0, 0), 0) << message();
        EXPECT_EQ(aclrtSynchronizeDevice(), kRtDeviceTaskAbort);
        EXPECT_EQ(aclrtSynchronizeDevice(), 0);
    }
    EXPECT_EQ(aclrtDestroyStream(one), 0);
    EXPECT_EQ(aclrtDestroyStream(two), 0);
}

TEST_F(StreamTest, ManyStreamsCostNoThreads) {
    const auto threads = [] {
        size_t lines = 0;
        FILE* status = std::fopen("/proc/self/status", "r");
        char line[256];
        while (std::fgets(line, sizeof(line), status) != nullptr) {
            if (std::sscanf(line, "Threads: %zu", &lines) == 1) {
                break;
            }
        }
        std::fclose(status);
        return lines;
    };
    const size_t before = threads();
    std::vector<void*> all(256);
    std::ranges::generate(all, make_stream);
    EXPECT_EQ(threads(), before);
    for (void* stream : all) {
        EXPECT_EQ(aclrtDestroyStream(stream), 0);
    }
}

TEST_F(StreamTest, WrongHandlesGetCodes) {
    void* stream = make_stream();
    void* event = make_event();
    int local = 0;
    EXPECT_EQ(aclrtSynchronizeStream(event), kRtInvalidHandle);
    EXPECT_NE(message().find("is not a stream"), std::string::npos);
    EXPECT_EQ(aclrtSynchronizeStream(&local), kRtInvalidHandle);
    EXPECT_EQ(launch(&local, [] { ADD_FAILURE(); }), kRtInvalidHandle);
    EXPECT_EQ(aclrtRecordEvent(stream, stream), kRtInvalidHandle);
    EXPECT_EQ(aclrtStreamWaitEvent(stream, nullptr), kRtInvalidHandle);
    EXPECT_EQ(aclrtDestroyStream(nullptr), kRtParamInvalid);
    ASSERT_EQ(aclrtDestroyStream(stream), 0);
    EXPECT_EQ(aclrtDestroyStream(stream), kRtInvalidHandle);
    EXPECT_NE(message().find("was destroyed already"), std::string::npos);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInvalidHandle);
    EXPECT_EQ(launch(stream, [] { ADD_FAILURE(); }), kRtInvalidHandle);
    EXPECT_EQ(aclrtCreateStream(nullptr), kInvalidParam);
    EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 8, 0), kRtParamInvalid);
}

TEST_F(StreamTest, ATaskCannotWaitForItself) {
    void* stream = make_stream();
    int code = 0;
    int destroyed = 0;
    ASSERT_EQ(launch(stream,
                     [&] {
                         code = aclrtSynchronizeStream(stream);
                         destroyed = aclrtDestroyStream(stream);
                     }),
              0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(code, kRtInternalError);
    EXPECT_EQ(destroyed, kRtInternalError);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(StreamTest, KnowsWhatItWasCreatedWith) {
    void* stream = nullptr;
    ASSERT_EQ(aclrtCreateStreamWithConfig(&stream, 5, 3), 0);
    uint32_t priority = 0;
    uint32_t flags = 0;
    ASSERT_EQ(aclrtStreamGetPriority(stream, &priority), 0);
    ASSERT_EQ(aclrtStreamGetFlags(stream, &flags), 0);
    EXPECT_EQ(priority, 5U);
    EXPECT_EQ(flags, 3U);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

}  // namespace
}  // namespace opweld::npu::test
