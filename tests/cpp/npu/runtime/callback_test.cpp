#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class CallbackTest : public RuntimeTest {};

// A thread that serves callbacks until it is told to end.
class Server {
  public:
    Server() : thread_([this] { serve(); }) {
        std::unique_lock lock(mutex_);
        known_.wait(lock, [this] { return id_ != 0; });
    }
    ~Server() {
        end_ = true;
        thread_.join();
    }
    uint64_t id() const { return id_; }
    std::thread::id thread() const { return thread_.get_id(); }

  private:
    void serve() {
        aclrtSetDevice(0);
        {
            const std::lock_guard lock(mutex_);
            id_ = static_cast<uint64_t>(pthread_self());
            known_.notify_all();
        }
        while (!end_) {
            aclrtProcessReport(50);
        }
    }
    std::mutex mutex_;
    std::condition_variable known_;
    uint64_t id_ = 0;
    std::atomic<bool> end_{false};
    std::thread thread_;
};

struct Seen {
    std::thread::id thread;
    int order = 0;
};
std::atomic<int> counter{0};

void note(void* data) {
    auto* seen = static_cast<Seen*>(data);
    seen->thread = std::this_thread::get_id();
    seen->order = ++counter;
}

TEST_F(CallbackTest, RunOnTheThreadThatSubscribed) {
    Server server;
    void* stream = make_stream();
    ASSERT_EQ(aclrtSubscribeReport(server.id(), stream), 0) << message();
    Seen seen;
    int after = 0;
    ASSERT_EQ(aclrtLaunchCallback(note, &seen, 1, stream), 0) << message();
    ASSERT_EQ(launch(stream, [&] { after = ++counter; }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(seen.thread, server.thread());
    EXPECT_GT(after, seen.order) << "a blocking callback holds the stream up";
    EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), kRtStreamSubscribe);
    EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), 0);
    EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), kRtStreamSubscribe);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CallbackTest, WaitForWhatIsBeforeThem) {
    Server server;
    void* stream = make_stream();
    ASSERT_EQ(aclrtSubscribeReport(server.id(), stream), 0);
    Seen seen;
    int before = 0;
    {
        Barrier barrier(stream);
        ASSERT_EQ(launch(stream, [&] { before = ++counter; }), 0);
        ASSERT_EQ(aclrtLaunchCallback(note, &seen, 1, stream), 0);
    }
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_GT(seen.order, before);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CallbackTest, NeedASubscriber) {
    void* stream = make_stream();
    Seen seen;
    EXPECT_EQ(aclrtLaunchCallback(note, &seen, 1, stream), kRtStreamNoCallback);
    EXPECT_NE(message().find("aclrtSubscribeReport"), std::string::npos);
    EXPECT_EQ(aclrtProcessReport(10), kRtThreadSubscribe);
    ASSERT_EQ(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream), 0);
    EXPECT_EQ(aclrtProcessReport(10), kRtReportTimeout);
    EXPECT_EQ(aclrtLaunchCallback(nullptr, nullptr, 1, stream), kInvalidParam);
    ASSERT_EQ(aclrtDestroyStream(stream), 0);
    EXPECT_EQ(aclrtProcessReport(10), kRtThreadSubscribe) << "the stream took its subscription along";
}

TEST_F(CallbackTest, OnAFailedStreamDoNotHangAnybody) {
    Server server;
    void* stream = make_stream();
    ASSERT_EQ(aclrtSetStreamFailureMode(stream, kStopOnFailure), 0);
    ASSERT_EQ(aclrtSubscribeReport(server.id(), stream), 0);
    Seen seen;
    ASSERT_EQ(launch(stream, [] { throw std::runtime_error("no"); }), 0);
    ASSERT_EQ(aclrtLaunchCallback(note, &seen, 1, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), kRtAiCoreException);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CallbackTest, ThatThrowFailTheirCallAndNotTheStream) {
    void* stream = make_stream();
    ASSERT_EQ(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream), 0);
    ASSERT_EQ(
        aclrtLaunchCallback([](void*) { throw std::runtime_error("odd callback"); }, nullptr, 1, stream), 0);
    EXPECT_EQ(aclrtProcessReport(5000), kInternalError);
    EXPECT_NE(message().find("odd callback"), std::string::npos);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5000), 0) << message();
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CallbackTest, HostFunctionsRunOnAThreadOfTheRuntime) {
    void* stream = make_stream();
    Seen seen;
    int after = 0;
    ASSERT_EQ(aclrtLaunchHostFunc(stream, note, &seen), 0) << message();
    ASSERT_EQ(launch(stream, [&] { after = ++counter; }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_NE(seen.thread, std::this_thread::get_id());
    EXPECT_GT(after, seen.order);
    EXPECT_EQ(aclrtLaunchHostFunc(stream, nullptr, nullptr), kInvalidParam);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

}  // namespace
}  // namespace opweld::npu::test
