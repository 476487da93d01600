#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class EventTest : public RuntimeTest {
  protected:
    static int status_of(void* event) {
        int status = -1;
        EXPECT_EQ(aclrtQueryEventStatus(event, &status), 0) << message();
        return status;
    }
};

TEST_F(EventTest, OrdersStreams) {
    void* producer = make_stream();
    void* consumer = make_stream();
    void* event = make_event();
    std::atomic<int> value{0};
    int seen = -1;
    Barrier barrier(producer);
    ASSERT_EQ(launch(producer, [&] { value = 42; }), 0);
    ASSERT_EQ(aclrtRecordEvent(event, producer), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(consumer, event), 0);
    ASSERT_EQ(launch(consumer, [&] { seen = value; }), 0);
    EXPECT_EQ(status_of(event), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(consumer, 10), kRtStreamSyncTimeout);
    barrier.open();
    ASSERT_EQ(aclrtSynchronizeStream(consumer), 0);
    EXPECT_EQ(seen, 42);
    EXPECT_EQ(status_of(event), 1);
    EXPECT_EQ(aclrtDestroyStream(producer), 0);
    EXPECT_EQ(aclrtDestroyStream(consumer), 0);
    EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

TEST_F(EventTest, AWaitIsForTheLatestRecordAtThatTime) {
    void* first = make_stream();
    void* second = make_stream();
    void* waiting = make_stream();
    void* event = make_event();
    Barrier one(first);
    Barrier two(second);
    ASSERT_EQ(aclrtRecordEvent(event, first), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(waiting, event), 0);
    ASSERT_EQ(aclrtRecordEvent(event, second), 0);
    one.open();
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(waiting, 5000), 0) << "the second record does not matter";
    EXPECT_EQ(status_of(event), 0);
    two.open();
    EXPECT_EQ(aclrtSynchronizeEvent(event), 0);
    EXPECT_EQ(status_of(event), 1);
}

TEST_F(EventTest, AnEventMayGoWhileStreamsWaitForIt) {
    void* stream = make_stream();
    void* waiting = make_stream();
    void* event = make_event();
    bool ran = false;
    {
        Barrier barrier(stream);
        ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
        ASSERT_EQ(aclrtStreamWaitEvent(waiting, event), 0);
        ASSERT_EQ(launch(waiting, [&] { ran = true; }), 0);
        ASSERT_EQ(aclrtDestroyEvent(event), 0);
        EXPECT_EQ(aclrtQueryEventStatus(event, nullptr), kRtInvalidHandle);
    }
    ASSERT_EQ(aclrtSynchronizeStream(waiting), 0);
    EXPECT_TRUE(ran);
}

TEST_F(EventTest, AReusableEventMayGoJustBeforeAStreamWaitsForIt) {
    void* stream = make_stream();
    void* waiting = make_stream();
    void* event = make_event();
    std::atomic<bool> ran{false};
    {
        Barrier barrier(stream);
        ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
        ASSERT_EQ(aclrtDestroyEvent(event), 0);
        ASSERT_EQ(aclrtStreamWaitEvent(waiting, event), 0) << message();
        ASSERT_EQ(launch(waiting, [&] { ran = true; }), 0);
        EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(waiting, 10), kRtStreamSyncTimeout);
        EXPECT_FALSE(ran);
    }
    ASSERT_EQ(aclrtSynchronizeStream(waiting), 0);
    EXPECT_TRUE(ran);
    EXPECT_EQ(aclrtRecordEvent(event, stream), kRtInvalidHandle);
    EXPECT_EQ(aclrtDestroyEvent(event), kRtInvalidHandle);

    void* plain = nullptr;
    ASSERT_EQ(aclrtCreateEvent(&plain), 0);
    ASSERT_EQ(aclrtDestroyEvent(plain), 0);
    EXPECT_EQ(aclrtStreamWaitEvent(waiting, plain), kRtInvalidHandle);
}

TEST_F(EventTest, EventsThatWereNotRecorded) {
    void* stream = make_stream();
    void* reusable = make_event();
    EXPECT_EQ(status_of(reusable), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, reusable), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), 0) << "as in CUDA: nothing to wait for";
    EXPECT_EQ(aclrtSynchronizeEvent(reusable), 0);
    void* plain = nullptr;
    ASSERT_EQ(aclrtCreateEvent(&plain), 0);
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(plain, 10), kRtEventSyncTimeout);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, plain), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10), kRtStreamSyncTimeout)
        << "waits for the record to come";
    ASSERT_EQ(aclrtRecordEvent(plain, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), 0);
    EXPECT_EQ(status_of(plain), 1);
    ASSERT_EQ(aclrtResetEvent(plain, stream), 0);
    EXPECT_EQ(status_of(plain), 0);
    EXPECT_EQ(aclrtResetEvent(reusable, stream), kRtFeatureNotSupported);
}

TEST_F(EventTest, TimesAreReal) {
    void* stream = make_stream();
    void* start = make_event();
    void* end = make_event();
    float elapsed = -1;
    EXPECT_EQ(aclrtEventElapsedTime(&elapsed, start, end), kRtEventTimestampInvalid);
    ASSERT_EQ(aclrtRecordEvent(start, stream), 0);
    ASSERT_EQ(launch(stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }), 0);
    ASSERT_EQ(aclrtRecordEvent(end, stream), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    ASSERT_EQ(aclrtEventElapsedTime(&elapsed, start, end), 0) << message();
    EXPECT_GE(elapsed, 30.0F);
    uint64_t from = 0;
    uint64_t to = 0;
    ASSERT_EQ(aclrtEventGetTimestamp(start, &from), 0);
    ASSERT_EQ(aclrtEventGetTimestamp(end, &to), 0);
    EXPECT_GE(to - from, 30000U);
    void* timeless = make_event(kEventSync);
    ASSERT_EQ(aclrtRecordEvent(timeless, stream), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(aclrtEventElapsedTime(&elapsed, start, timeless), kRtEventTimestampInvalid);
    EXPECT_NE(message().find("ACL_EVENT_TIME_LINE"), std::string::npos);
}

TEST_F(EventTest, ElapsedTimeOfAPendingEventIsAnError) {
    void* stream = make_stream();
    void* start = make_event();
    void* end = make_event();
    ASSERT_EQ(aclrtRecordEvent(start, stream), 0);
    Barrier barrier(stream);
    ASSERT_EQ(aclrtRecordEvent(end, stream), 0);
    float elapsed = -1;
    EXPECT_EQ(aclrtSynchronizeEvent(start), 0);
    EXPECT_EQ(aclrtEventElapsedTime(&elapsed, start, end), kRtEventNotComplete);
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(end, 10), kRtEventSyncTimeout);
    EXPECT_EQ(elapsed, -1);
}

TEST_F(EventTest, FlagsAreChecked) {
    void* event = nullptr;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, 0), kRtParamInvalid);
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, 0x100), kRtParamInvalid);
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, kEventIpc), kRtFeatureNotSupported);
    EXPECT_EQ(aclrtCreateEventExWithFlag(nullptr, 1), kInvalidParam);
    EXPECT_EQ(aclrtDestroyEvent(nullptr), kRtInvalidHandle);
}

TEST_F(EventTest, AWaitHasALimitWhereOneIsSet) {
    void* stream = make_stream();
    void* plain = nullptr;
    ASSERT_EQ(aclrtCreateEvent(&plain), 0);
    ASSERT_EQ(aclrtSetOpWaitTimeout(1), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, plain), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtWaitTimeout);
    EXPECT_NE(message().find("waited 1000 ms for an event"), std::string::npos);
    ASSERT_EQ(aclrtSetOpWaitTimeout(0), 0);
}

TEST_F(EventTest, ReportsAnErrorOfTheTasksBeforeItOnce) {
    void* stream = make_stream();
    void* before = make_event();
    void* behind = make_event();
    ASSERT_EQ(aclrtRecordEvent(before, stream), 0);
    ASSERT_EQ(launch(stream, [] { throw AclException(507015, "a reason"); }, "aclnnFails"), 0);
    ASSERT_EQ(aclrtRecordEvent(behind, stream), 0);
    EXPECT_EQ(aclrtSynchronizeEvent(before), 0);
    EXPECT_EQ(aclrtSynchronizeEvent(behind), 507015);
    EXPECT_NE(message().find("aclnnFails: a reason"), std::string::npos);
    EXPECT_EQ(aclrtSynchronizeEvent(behind), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    ASSERT_EQ(launch(stream, [] { throw AclException(507015, "another"); }), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507015);
}

TEST_F(EventTest, AnErrorThatTheStreamReportedIsNotReportedByAnEvent) {
    void* stream = make_stream();
    void* event = make_event();
    ASSERT_EQ(launch(stream, [] { throw AclException(507015, "a reason"); }), 0);
    ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507015);
    EXPECT_EQ(aclrtSynchronizeEvent(event), 0);
}

TEST_F(EventTest, RingsOfStreamsKeepTheirOrder) {
    constexpr int kStreams = 6;
    constexpr int kRounds = 50;
    std::vector<void*> ring;
    for (int i = 0; i < kStreams; ++i) {
        ring.push_back(make_stream());
    }
    void* event = make_event(kEventSync);
    int counter = 0;
    int mistakes = 0;
    Barrier barrier(ring[0]);
    for (int step = 0; step < kStreams * kRounds; ++step) {
        void* stream = ring[static_cast<size_t>(step % kStreams)];
        if (step > 0) {
            ASSERT_EQ(aclrtStreamWaitEvent(stream, event), 0);
        }
        ASSERT_EQ(launch(stream, [&counter, &mistakes, step] { mistakes += counter++ == step ? 0 : 1; }), 0);
        ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    }
    barrier.open();
    ASSERT_EQ(aclrtSynchronizeDevice(), 0) << message();
    EXPECT_EQ(counter, kStreams * kRounds);
    EXPECT_EQ(mistakes, 0);
}

}  // namespace
}  // namespace opweld::npu::test
