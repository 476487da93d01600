// Several streams and their events in one capture.
#include <thread>

#include "capture_test.h"

namespace opweld::npu::test {
namespace {

class CaptureStreamTest : public CaptureTest {
  protected:
    // `after` waits for all that is on `before` now.
    static int follow(void* after, void* before) {
        void* event = make_event();
        const int recorded = aclrtRecordEvent(event, before);
        const int waited = recorded != 0 ? recorded : aclrtStreamWaitEvent(after, event);
        EXPECT_EQ(aclrtDestroyEvent(event), 0) << "a program may destroy it at once";
        return waited;
    }
};

TEST_F(CaptureStreamTest, AStreamThatWaitsForACapturedEventJoins) {
    void* origin = make_stream();
    void* side = make_stream();
    std::vector<int> order;
    begin(origin);
    ASSERT_EQ(launch(origin, [&] { order.push_back(1); }), 0);
    ASSERT_EQ(follow(side, origin), 0) << message();
    void* of_origin = nullptr;
    void* of_side = nullptr;
    EXPECT_EQ(status_of(origin, &of_origin), kActive);
    EXPECT_EQ(status_of(side, &of_side), kActive);
    EXPECT_EQ(of_origin, of_side);
    ASSERT_EQ(launch(side, [&] { order.push_back(2); }), 0);
    ASSERT_EQ(launch(origin, [&] { order.push_back(3); }), 0);
    ASSERT_EQ(follow(origin, side), 0) << message();
    ASSERT_EQ(launch(origin, [&] { order.push_back(4); }), 0);
    void* graph = end(origin);
    EXPECT_EQ(status_of(side), kNone);
    EXPECT_TRUE(order.empty());
    replay(graph, origin);
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
    ASSERT_EQ(launch(side, [&] { order.push_back(5); }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(side), 0);
    EXPECT_EQ(order.back(), 5);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureStreamTest, AStreamThatNobodyWaitsForIsAnError) {
    void* origin = make_stream();
    void* side = make_stream();
    begin(origin);
    ASSERT_EQ(follow(side, origin), 0);
    ASSERT_EQ(launch(side, [] {}), 0);
    ASSERT_EQ(follow(origin, side), 0);
    ASSERT_EQ(launch(side, [] {}), 0) << "behind what is waited for";
    EXPECT_EQ(failing_end(origin), kRtStreamUnjoined);
    EXPECT_NE(message().find("last 1 tasks"), std::string::npos) << message();
    EXPECT_EQ(status_of(side), kNone);
}

TEST_F(CaptureStreamTest, AStreamThatDidNothingNeedsNoWait) {
    void* origin = make_stream();
    void* side = make_stream();
    begin(origin);
    ASSERT_EQ(launch(origin, [] {}), 0);
    ASSERT_EQ(follow(side, origin), 0);
    EXPECT_EQ(aclmdlRIDestroy(end(origin)), 0);
}

TEST_F(CaptureStreamTest, JoiningIsHandedOn) {
    void* origin = make_stream();
    void* first = make_stream();
    void* second = make_stream();
    int ran = 0;
    begin(origin);
    ASSERT_EQ(follow(first, origin), 0);
    ASSERT_EQ(follow(second, first), 0);
    ASSERT_EQ(launch(second, [&] { ++ran; }), 0);
    ASSERT_EQ(launch(first, [&] { ++ran; }), 0);
    ASSERT_EQ(follow(first, second), 0);
    ASSERT_EQ(follow(origin, first), 0);
    void* graph = end(origin);
    replay(graph, origin);
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureStreamTest, OnlyTheFirstStreamEndsIt) {
    void* origin = make_stream();
    void* side = make_stream();
    void* graph = nullptr;
    begin(origin);
    ASSERT_EQ(follow(side, origin), 0);
    EXPECT_EQ(aclmdlRICaptureEnd(side, &graph), kRtStreamCaptureUnmatched);
    EXPECT_EQ(aclrtSynchronizeStream(side), kRtStreamCaptured);
    EXPECT_EQ(status_of(origin), kActive);
    EXPECT_EQ(aclmdlRIDestroy(end(origin)), 0);
}

TEST_F(CaptureStreamTest, DependencesOnTheOutsideAreRefused) {
    void* origin = make_stream();
    void* outside = make_stream();
    void* event = make_event();
    ASSERT_EQ(aclrtRecordEvent(event, outside), 0);
    begin(origin);
    EXPECT_EQ(aclrtStreamWaitEvent(origin, make_event()), 0) << "an event without a record is no dependence";
    EXPECT_EQ(aclrtStreamWaitEvent(origin, event), kRtCaptureDependency) << message();
    EXPECT_EQ(failing_end(origin), kRtStreamCaptureInvalidated);
}

TEST_F(CaptureStreamTest, CapturesStayApart) {
    void* first = make_stream();
    void* second = make_stream();
    begin(first);
    begin(second);
    EXPECT_EQ(follow(second, first), kStreamCaptureConflict);
    EXPECT_EQ(failing_end(second), kRtStreamCaptureInvalidated);
    EXPECT_EQ(aclmdlRIDestroy(end(first)), 0);
}

TEST_F(CaptureStreamTest, ACapturedRecordHappensInTheGraphOnly) {
    void* origin = make_stream();
    void* other = make_stream();
    void* event = make_event();
    int status = 0;
    float time = 0;
    begin(origin);
    ASSERT_EQ(aclrtRecordEvent(event, origin), 0);
    EXPECT_EQ(aclrtQueryEventStatus(event, &status), kRtEventCaptured);
    EXPECT_EQ(aclrtSynchronizeEvent(event), kRtEventCaptured);
    EXPECT_EQ(aclrtEventElapsedTime(&time, event, event), kRtEventCaptured);
    void* graph = end(origin);
    EXPECT_EQ(aclrtStreamWaitEvent(other, event), kRtEventCaptured) << message();
    replay(graph, origin);
    EXPECT_EQ(aclrtSynchronizeEvent(event), kRtEventCaptured);
    ASSERT_EQ(aclrtRecordEvent(event, origin), 0);
    EXPECT_EQ(aclrtStreamWaitEvent(other, event), 0);
    EXPECT_EQ(aclrtSynchronizeEvent(event), 0);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureStreamTest, ADestroyedMemberVoidsTheCapture) {
    void* origin = make_stream();
    void* side = make_stream();
    begin(origin);
    ASSERT_EQ(follow(side, origin), 0);
    ASSERT_EQ(launch(side, [] {}), 0);
    ASSERT_EQ(aclrtDestroyStream(side), 0);
    EXPECT_EQ(status_of(origin), kInvalidated);
    EXPECT_EQ(failing_end(origin), kRtStreamCaptureInvalidated);
}

TEST_F(CaptureStreamTest, AnExternalEventIsWaitedForAtEachRun) {
    void* stream = make_stream();
    void* other = make_stream();
    void* event = nullptr;
    std::atomic<int> ran{0};
    ASSERT_EQ(aclrtCreateEventWithFlag(&event, kEventExternal), 0) << message();
    begin(stream);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, event), 0) << message();
    ASSERT_EQ(aclrtResetEvent(event, stream), 0) << message();
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    void* graph = end(stream);
    for (int i = 1; i < 4; ++i) {
        ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0) << "does not hold up the thread";
        EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), kRtStreamSyncTimeout);
        EXPECT_EQ(ran, i - 1);
        ASSERT_EQ(aclrtRecordEvent(event, other), 0);
        ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), 0) << message();
        EXPECT_EQ(ran, i);
    }
    ASSERT_EQ(aclrtRecordEvent(event, other), 0);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0) << "a record that is there already";
    ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), 0) << message();
    EXPECT_EQ(ran, 4);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureStreamTest, AnAbortEndsTheWaitForAnExternalEvent) {
    void* stream = make_stream();
    void* event = nullptr;
    ASSERT_EQ(aclrtCreateEventWithFlag(&event, kEventExternal), 0);
    begin(stream);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, event), 0);
    void* graph = end(stream);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), kRtStreamSyncTimeout);
    ASSERT_EQ(aclrtStreamAbort(stream), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), kRtStreamAbort) << message();
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
    EXPECT_EQ(aclrtDestroyStreamForce(stream), 0) << "ends too";
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureStreamTest, AGraphRecordsAnExternalEvent) {
    void* stream = make_stream();
    void* event = nullptr;
    int status = 0;
    ASSERT_EQ(aclrtCreateEventWithFlag(&event, kEventExternal), 0);
    begin(stream);
    ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    void* graph = end(stream);
    ASSERT_EQ(aclrtQueryEventStatus(event, &status), 0);
    EXPECT_EQ(status, 0);
    replay(graph, stream);
    ASSERT_EQ(aclrtQueryEventStatus(event, &status), 0);
    EXPECT_EQ(status, 1);
    ASSERT_EQ(aclrtDestroyEvent(event), 0);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInvalidHandle) << "the event is gone";
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

}  // namespace
}  // namespace opweld::npu::test
