#include "capture_test.h"

#include <stdexcept>
#include <thread>

extern "C" int opweldInjectFaults(const char* specification);

namespace opweld::npu::test {
namespace {

TEST_F(CaptureTest, RecordsAndRunsAgainAndAgain) {
    void* stream = make_stream();
    std::vector<int> order;
    begin(stream);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(launch(stream, [&order, i] { order.push_back(i); }), 0);
    }
    EXPECT_TRUE(order.empty()) << "captured tasks don't run";
    void* during = nullptr;
    EXPECT_EQ(status_of(stream, &during), kActive);
    void* graph = end(stream);
    EXPECT_EQ(graph, during);
    EXPECT_EQ(status_of(stream, &during), kNone);
    EXPECT_EQ(during, nullptr);
    EXPECT_TRUE(order.empty());
    replay(graph, stream);
    replay(graph, make_stream());
    EXPECT_EQ(order, (std::vector{0, 1, 2, 0, 1, 2}));
    ASSERT_EQ(launch(stream, [&order] { order.push_back(3); }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(order.back(), 3) << "the stream runs tasks again";
    ASSERT_EQ(aclmdlRIDestroy(graph), 0) << message();
    EXPECT_EQ(aclmdlRIExecuteAsync(graph, stream), kRtInvalidHandle);
    EXPECT_EQ(aclmdlRIDestroy(graph), kRtInvalidHandle);
}

TEST_F(CaptureTest, GraphsHaveNumbersOfTheirOwn) {
    void* stream = make_stream();
    uint32_t first = 0;
    uint32_t second = 0;
    begin(stream);
    void* graph = end(stream);
    begin(stream);
    void* other = end(stream);
    ASSERT_EQ(aclmdlRIGetId(graph, &first), 0);
    ASSERT_EQ(aclmdlRIGetId(other, &second), 0);
    EXPECT_NE(first, second);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(aclmdlRIGetId(stream, &first), kRtInvalidHandle);
    EXPECT_EQ(aclmdlRIGetId(graph, nullptr), kInvalidParam);
}

TEST_F(CaptureTest, CopiesAndFillsSeeWhatIsThereAtReplay) {
    void* stream = make_stream();
    void* a = allocate(64);
    void* b = allocate(64);
    void* pinned = nullptr;
    ASSERT_EQ(aclrtMallocHost(&pinned, 64), 0);
    write<int>(a, {1, 2, 3, 4});
    begin(stream);
    ASSERT_EQ(aclrtMemcpyAsync(b, 16, a, 16, kD2D, stream), 0) << message();
    ASSERT_EQ(aclrtMemsetAsync(a, 64, 0, 4, stream), 0) << message();
    ASSERT_EQ(aclrtMemcpyAsync(pinned, 16, b, 16, kD2H, stream), 0) << message();
    void* graph = end(stream);
    EXPECT_EQ(read<int>(a, 4), (std::vector{1, 2, 3, 4}));
    write<int>(a, {5, 6, 7, 8});
    replay(graph, stream);
    EXPECT_EQ(read<int>(b, 4), (std::vector{5, 6, 7, 8}));
    EXPECT_EQ(read<int>(a, 4), (std::vector{0, 6, 7, 8}));
    EXPECT_EQ(static_cast<int*>(pinned)[3], 8);
    ASSERT_EQ(aclmdlRIDestroy(graph), 0);
    ASSERT_EQ(aclrtFreeHost(pinned), 0);
}

TEST_F(CaptureTest, AGraphOutlivesItsHandleWhileItRuns) {
    void* stream = make_stream();
    auto owned = std::make_shared<int>(0);
    const std::weak_ptr<int> seen = owned;
    begin(stream);
    ASSERT_EQ(launch(stream, [owned] { ++*owned; }), 0);
    void* graph = end(stream);
    {
        const Barrier barrier(stream);
        ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
        ASSERT_EQ(aclmdlRIDestroy(graph), 0);
    }
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(*owned, 1);
    owned.reset();
    EXPECT_TRUE(seen.expired()) << "the tasks end with the graph";
}

TEST_F(CaptureTest, AFailingTaskIsTheErrorOfTheStreamAndNamesItself) {
    void* stream = make_stream();
    int after = 0;
    begin(stream);
    ASSERT_EQ(launch(stream, [] {}, "aclnnAdd"), 0);
    ASSERT_EQ(
        launch(stream, [] { throw AclException(kRtAiCoreException, "no such row"); }, "aclnnGather"), 0);
    ASSERT_EQ(launch(stream, [&] { ++after; }, "aclnnMul"), 0);
    void* graph = end(stream);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0) << "errors of tasks are asynchronous";
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtAiCoreException);
    const std::string text = message();
    EXPECT_NE(text.find("aclnnGather: no such row (task 2 of 3)"), std::string::npos) << text;
    EXPECT_EQ(after, 0);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtAiCoreException) << "each run fails";
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, FaultsOnPurposeHitTheTasksOfAGraph) {
    void* stream = make_stream();
    int ran = 0;
    begin(stream);
    ASSERT_EQ(launch(stream, [&] { ++ran; }, "aclnnAdd"), 0);
    ASSERT_EQ(launch(stream, [&] { ++ran; }, "aclnnMul"), 0);
    void* graph = end(stream);
    ASSERT_EQ(opweldInjectFaults("ecc@2:aclnnMul"), 0);
    replay(graph, stream);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtMultiBitEccError);
    EXPECT_EQ(ran, 3);
    ASSERT_EQ(opweldInjectFaults("hang@1:aclnnMul"), 0);
    ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), kRtStreamSyncTimeout);
    ASSERT_EQ(aclrtStreamAbort(stream), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), kRtStreamAbort) << message();
    ASSERT_EQ(opweldInjectFaults(""), 0);
    replay(graph, stream);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, ExecutesSynchronouslyWithATimeout) {
    void* stream = make_stream();
    int ran = 0;
    begin(stream);
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    void* graph = end(stream);
    ASSERT_EQ(aclmdlRIExecute(graph, -1), 0) << message();
    ASSERT_EQ(aclmdlRIExecute(graph, 5000), 0) << message();
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(aclmdlRIExecute(graph, 0), kRtParamInvalid);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, RefusesWrongUse) {
    void* stream = make_stream();
    void* graph = nullptr;
    EXPECT_EQ(aclmdlRICaptureBegin(nullptr, kGlobal), kRtStreamCaptureImplicit) << message();
    EXPECT_EQ(aclmdlRICaptureBegin(stream, 3), kRtParamInvalid);
    EXPECT_EQ(aclmdlRICaptureBegin(stream, -1), kRtParamInvalid);
    EXPECT_EQ(aclmdlRICaptureEnd(stream, &graph), kRtStreamNotCaptured);
    EXPECT_EQ(aclmdlRICaptureEnd(stream, nullptr), kInvalidParam);
    begin(stream);
    EXPECT_EQ(aclmdlRICaptureBegin(stream, kGlobal), kRtStreamCaptured);
    ASSERT_EQ(status_of(stream, &graph), kActive);
    EXPECT_EQ(aclmdlRIExecuteAsync(graph, make_stream()), kRtModelCaptured) << message();
    EXPECT_EQ(aclmdlRIDestroy(graph), kRtModelCaptured);
    void* ended = end(stream);
    void* other_device = nullptr;
    ASSERT_EQ(aclrtSetDevice(1), 0);
    ASSERT_EQ(aclrtCreateStream(&other_device), 0);
    EXPECT_EQ(aclmdlRIExecuteAsync(ended, other_device), kRtParamInvalid);
    ASSERT_EQ(aclrtSetDevice(0), 0);
    EXPECT_EQ(aclmdlRIExecuteAsync(nullptr, stream), kInvalidParam);
    EXPECT_EQ(aclmdlRICaptureGetInfo(stream, nullptr, &graph), kInvalidParam);
    EXPECT_EQ(aclmdlRIDestroy(ended), 0);
}

TEST_F(CaptureTest, WaitingForACapturedStreamIsRefusedAndTheCaptureGoesOn) {
    const std::vector<std::pair<const char*, int (*)(void*)>> waits{
        {"synchronised", aclrtSynchronizeStream},
        {"synchronised", [](void* stream) { return aclrtSynchronizeStreamWithTimeout(stream, 100); }},
        {"idle", [](void* stream) {
             int status = 0;
             return aclrtStreamQuery(stream, &status);
         }}};
    for (const auto& [word, wait] : waits) {
        for (const int mode : {kGlobal, kThreadLocal, kRelaxed}) {
            void* stream = make_stream();
            int ran = 0;
            begin(stream, mode);
            EXPECT_EQ(wait(stream), kRtStreamCaptured);
            EXPECT_NE(message().find(word), std::string::npos);
            EXPECT_EQ(status_of(stream), kActive);
            ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
            void* graph = end(stream);
            replay(graph, stream);
            EXPECT_EQ(ran, 1);
            EXPECT_EQ(aclmdlRIDestroy(graph), 0);
        }
    }
}

TEST_F(CaptureTest, AVoidCaptureTakesNothingAndTellsTheFirstReason) {
    void* stream = make_stream();
    void* device = allocate(64);
    int ran = 0;
    begin(stream);
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    EXPECT_EQ(aclrtMemset(device, 64, 0, 64), kRtCaptureModeNotSupported);
    EXPECT_EQ(aclrtSynchronizeDevice(), kRtCaptureModeNotSupported);
    EXPECT_EQ(status_of(stream), kInvalidated);
    EXPECT_EQ(launch(stream, [&] { ++ran; }), kRtStreamCaptureInvalidated);
    EXPECT_NE(message().find("aclrtMemset"), std::string::npos);
    EXPECT_EQ(failing_end(stream), kRtStreamCaptureInvalidated);
    EXPECT_NE(message().find("aclrtMemset"), std::string::npos);
    EXPECT_EQ(launch(stream, [&] { ++ran; }), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(ran, 1);
}

TEST_F(CaptureTest, UnsafeCallsAreRefusedByMode) {
    void* device = allocate(64);
    std::vector<char> host(64);
    void* other = make_stream();
    const std::vector<std::function<int()>> unsafe{
        [&] { return aclrtMemcpy(device, 64, host.data(), 64, kH2D); },
        [&] { return aclrtMemcpy2d(device, 8, host.data(), 8, 8, 2, kH2D); },
        [&] { return aclrtMemset(device, 64, 0, 64); }, [&] { return aclrtSynchronizeDevice(); },
        [&] { return aclrtMemcpyAsync(device, 64, host.data(), 64, kH2D, other); }};
    const auto elsewhere = [](const std::function<int()>& call, int thread_mode) {
        int code = -1;
        std::thread([&] {
            aclrtSetDevice(0);
            EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&thread_mode), 0);
            code = call();
        }).join();
        return code;
    };
    for (const auto& call : unsafe) {
        void* stream = make_stream();
        for (const int mode : {kGlobal, kThreadLocal}) {
            begin(stream, mode);
            EXPECT_EQ(call(), kRtCaptureModeNotSupported);
            EXPECT_EQ(failing_end(stream), kRtStreamCaptureInvalidated);
        }
        begin(stream, kGlobal);
        EXPECT_EQ(elsewhere(call, kRelaxed), 0) << message();
        EXPECT_EQ(elsewhere(call, kThreadLocal), 0) << message();
        EXPECT_EQ(status_of(stream), kActive);
        EXPECT_EQ(elsewhere(call, kGlobal), kRtCaptureModeNotSupported);
        EXPECT_EQ(failing_end(stream), kRtStreamCaptureInvalidated);

        begin(stream, kThreadLocal);
        EXPECT_EQ(elsewhere(call, kGlobal), 0) << message();
        int mode = kRelaxed;
        ASSERT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), 0);
        EXPECT_EQ(mode, kGlobal) << "a thread's first mode";
        EXPECT_EQ(call(), 0) << message();
        ASSERT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), 0);
        EXPECT_EQ(mode, kRelaxed);
        EXPECT_EQ(aclmdlRIDestroy(end(stream)), 0);

        begin(stream, kRelaxed);
        EXPECT_EQ(call(), 0) << message();
        EXPECT_EQ(elsewhere(call, kGlobal), 0) << message();
        EXPECT_EQ(aclmdlRIDestroy(end(stream)), 0);
        EXPECT_EQ(call(), 0);
    }
    int wrong = 7;
    EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&wrong), kRtParamInvalid);
}

TEST_F(CaptureTest, PageableCopiesOnACapturedStreamAreRefused) {
    void* stream = make_stream();
    void* device = allocate(64);
    std::vector<char> host(64, 'x');
    for (const int mode : {kGlobal, kThreadLocal}) {
        begin(stream, mode);
        EXPECT_EQ(aclrtMemcpyAsync(device, 64, host.data(), 64, kH2D, stream), kRtCaptureModeBlockAsync);
        EXPECT_NE(message().find("pin"), std::string::npos);
        EXPECT_EQ(failing_end(stream), kRtStreamCaptureInvalidated);
    }
    begin(stream, kRelaxed);
    ASSERT_EQ(aclrtMemcpyAsync(device, 64, host.data(), 64, kH2D, stream), 0) << message();
    void* graph = end(stream);
    host.assign(64, 'y');
    replay(graph, stream);
    EXPECT_EQ(read<char>(device, 1)[0], 'y');
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, WorkOfAnotherThreadIsDroppedInAVoidCapture) {
    void* stream = make_stream();
    void* side = make_stream();
    void* event = make_event();
    void* outside = make_event();
    void* device = allocate(64);
    std::vector<char> host(64, 'x');
    int ran = 0;
    ASSERT_EQ(aclrtRecordEvent(outside, side), 0);
    const std::vector<std::function<int()>> spoilers{
        [&] { return aclrtMemcpyAsync(device, 64, host.data(), 64, kH2D, stream); },
        [&] { return aclrtStreamWaitEvent(stream, outside); }};
    for (const auto& spoil : spoilers) {
        begin(stream, kThreadLocal);
        std::thread([&] {
            aclrtSetDevice(0);
            EXPECT_EQ(spoil(), 0) << message();
            EXPECT_EQ(launch(stream, [&] { ++ran; }), 0);
            EXPECT_EQ(aclrtRecordEvent(event, stream), 0);
            EXPECT_EQ(aclrtStreamWaitEvent(side, event), 0);
            EXPECT_EQ(launch(side, [&] { ++ran; }), 0);
        }).join();
        EXPECT_EQ(status_of(stream), kInvalidated);
        EXPECT_EQ(launch(stream, [&] { ++ran; }), kRtStreamCaptureInvalidated);
        EXPECT_EQ(failing_end(stream), kRtStreamCaptureInvalidated);
        EXPECT_EQ(status_of(side), kNone);
        EXPECT_EQ(ran, 0);
    }
}

TEST_F(CaptureTest, EndsOnTheThreadThatBeganIt) {
    void* stream = make_stream();
    for (const int mode : {kGlobal, kThreadLocal, kRelaxed}) {
        begin(stream, mode);
        void* graph = nullptr;
        int code = -1;
        std::thread([&] { code = aclmdlRICaptureEnd(stream, &graph); }).join();
        EXPECT_EQ(code, mode == kRelaxed ? 0 : kRtStreamCaptureWrongThread);
        if (mode != kRelaxed) {
            graph = end(stream);
        }
        EXPECT_EQ(aclmdlRIDestroy(graph), 0);
    }
}

TEST_F(CaptureTest, TheDefaultStreamIsClosedMeanwhile) {
    void* stream = make_stream();
    begin(stream);
    EXPECT_EQ(launch(nullptr, [] {}), kRtStreamCaptureImplicit);
    EXPECT_EQ(failing_end(stream), kRtStreamCaptureInvalidated);
    begin(stream, kRelaxed);
    EXPECT_EQ(launch(nullptr, [] {}), 0) << message();
    EXPECT_EQ(aclmdlRIDestroy(end(stream)), 0);
}

TEST_F(CaptureTest, ADestroyedStreamEndsItsCapture) {
    void* stream = make_stream();
    begin(stream);
    void* graph = nullptr;
    ASSERT_EQ(status_of(stream, &graph), kActive);
    ASSERT_EQ(aclrtDestroyStream(stream), 0) << message();
    EXPECT_EQ(aclmdlRIDestroy(graph), kRtInvalidHandle);
    void* device = allocate(64);
    EXPECT_EQ(aclrtMemset(device, 64, 0, 64), 0) << "nothing is captured any more: " << message();
}

TEST_F(CaptureTest, HostFunctionsRunOnTheStreamsOwnThreadAtEachRun) {
    struct Seen {
        std::thread::id thread;
        int count = 0;
    } seen;
    void* stream = make_stream();
    begin(stream);
    ASSERT_EQ(aclrtLaunchHostFunc(
                  stream,
                  [](void* data) {
                      auto* into = static_cast<Seen*>(data);
                      into->thread = std::this_thread::get_id();
                      ++into->count;
                  },
                  &seen),
              0);
    void* graph = end(stream);
    EXPECT_EQ(seen.count, 0);
    replay(graph, stream);
    replay(graph, stream);
    EXPECT_EQ(seen.count, 2);
    EXPECT_NE(seen.thread, std::this_thread::get_id());
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, CallbacksGoToTheThreadThatServesTheStream) {
    void* stream = make_stream();
    std::vector<int> order;
    ASSERT_EQ(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream), 0);
    begin(stream);
    ASSERT_EQ(aclrtLaunchCallback([](void* data) { static_cast<std::vector<int>*>(data)->push_back(1); },
                                  &order, 1, stream),
              0);
    ASSERT_EQ(launch(stream, [&] { order.push_back(2); }), 0);
    void* graph = end(stream);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), 0) << message();
        ASSERT_EQ(aclrtProcessReport(5000), 0) << message();
        ASSERT_EQ(aclrtSynchronizeStream(stream), 0) << message();
    }
    EXPECT_EQ(order, (std::vector{1, 2, 1, 2}));
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, TwoThreadsCaptureAndRunAtTheSameTime) {
    std::atomic<int> wrong{0};
    const auto work = [&] {
        aclrtSetDevice(0);
        void* stream = nullptr;
        wrong += aclrtCreateStream(&stream) != 0;
        for (int round = 0; round < 100; ++round) {
            int ran = 0;
            void* graph = nullptr;
            wrong += aclmdlRICaptureBegin(stream, kThreadLocal) != 0;
            for (int i = 0; i < 10; ++i) {
                wrong += launch(stream, [&] { ++ran; }) != 0;
            }
            wrong += aclmdlRICaptureEnd(stream, &graph) != 0;
            for (int i = 0; i < 5; ++i) {
                wrong += aclmdlRIExecuteAsync(graph, stream) != 0;
            }
            wrong += aclrtSynchronizeStream(stream) != 0;
            wrong += aclmdlRIDestroy(graph) != 0;
            wrong += ran != 50;
        }
        wrong += aclrtDestroyStream(stream) != 0;
    };
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(CaptureTest, OneGraphRunsOnceAtATime) {
    void* first = make_stream();
    void* second = make_stream();
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    begin(first);
    ASSERT_EQ(aclrtLaunchHostFunc(first, [](void*) {}, nullptr), 0) << "runs on the streams' threads";
    ASSERT_EQ(launch(first,
                     [&] {
                         most = std::max(most.load(), ++inside);
                         std::this_thread::sleep_for(std::chrono::milliseconds(5));
                         --inside;
                     }),
              0);
    void* graph = end(first);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(aclmdlRIExecuteAsync(graph, first), 0);
        ASSERT_EQ(aclmdlRIExecuteAsync(graph, second), 0);
    }
    ASSERT_EQ(aclrtSynchronizeDevice(), 0);
    EXPECT_EQ(most, 1);
    EXPECT_EQ(aclmdlRIDestroy(graph), 0);
}

TEST_F(CaptureTest, StreamAttributes) {
    void* stream = make_stream();
    StreamAttributeValue value{};
    value.cache_op_info = 1;
    ASSERT_EQ(aclrtSetStreamAttribute(stream, 4, &value), 0) << message();
    ASSERT_EQ(aclrtGetStreamAttribute(stream, 4, &value), 0);
    EXPECT_EQ(value.cache_op_info, 0U) << "counts while the stream is captured";
    begin(stream);
    ASSERT_EQ(aclrtGetStreamAttribute(stream, 4, &value), 0);
    EXPECT_EQ(value.cache_op_info, 1U);
    EXPECT_EQ(aclmdlRIDestroy(end(stream)), 0);
    value.failure_mode = kStopOnFailure;
    ASSERT_EQ(aclrtSetStreamAttribute(stream, 1, &value), 0);
    value.failure_mode = 0;
    ASSERT_EQ(aclrtGetStreamAttribute(stream, 1, &value), 0);
    EXPECT_EQ(value.failure_mode, kStopOnFailure);
    value.failure_mode = 9;
    EXPECT_EQ(aclrtSetStreamAttribute(stream, 1, &value), kInvalidParam);
    value.cache_op_info = 2;
    EXPECT_EQ(aclrtSetStreamAttribute(stream, 4, &value), kRtParamInvalid);
    EXPECT_EQ(aclrtSetStreamAttribute(stream, 3, &value), kRtFeatureNotSupported);
    EXPECT_EQ(aclrtGetStreamAttribute(stream, 3, &value), kRtFeatureNotSupported);
    EXPECT_EQ(aclrtSetStreamAttribute(stream, 4, nullptr), kInvalidParam);
}

}  // namespace
}  // namespace opweld::npu::test
