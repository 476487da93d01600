#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

constexpr int kThreads = 8;

class ThreadTest : public RuntimeTest {
  protected:
    template <class Body>
    static void on_all_threads(Body body) {
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([body, i] {
                ASSERT_EQ(aclrtSetDevice(0), 0);
                body(i);
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }
};

TEST_F(ThreadTest, EightThreadsWorkOnOneDevice) {
    on_all_threads([](int number) {
        void* stream = make_stream();
        for (int round = 0; round < 50; ++round) {
            void* device = allocate(1024 * static_cast<size_t>(1 + number + round));
            const std::vector<int> values(256, number * 1000 + round);
            write(device, values);
            ASSERT_EQ(launch(stream,
                             [device] {
                                 auto* numbers = static_cast<int*>(host_address(device, 1024));
                                 for (int i = 0; i < 256; ++i) {
                                     numbers[i] += 1;
                                 }
                             }),
                      0);
            ASSERT_EQ(aclrtSynchronizeStream(stream), 0) << message();
            ASSERT_EQ(read<int>(device, 256), std::vector<int>(256, number * 1000 + round + 1));
            ASSERT_EQ(aclrtFree(device), 0) << message();
        }
        ASSERT_EQ(aclrtDestroyStream(stream), 0);
    });
    size_t free = 0;
    size_t total = 0;
    ASSERT_EQ(aclrtGetMemInfo(1, &free, &total), 0);
    EXPECT_EQ(free, total);
}

TEST_F(ThreadTest, OneStreamTakesTasksFromManyThreads) {
    void* stream = make_stream();
    int count = 0;
    on_all_threads([stream, &count](int) {
        for (int i = 0; i < 500; ++i) {
            ASSERT_EQ(launch(stream, [&count] { ++count; }), 0);
        }
    });
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(count, kThreads * 500) << "tasks of a stream never run beside each other";
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(ThreadTest, EventsPassBetweenThreadsAndStreams) {
    std::vector<void*> all;
    for (int i = 0; i < kThreads; ++i) {
        all.push_back(make_stream());
    }
    on_all_threads([&all](int number) {
        void* event = make_event();
        void* mine = all[static_cast<size_t>(number)];
        void* next = all[static_cast<size_t>((number + 1) % kThreads)];
        for (int i = 0; i < 200; ++i) {
            ASSERT_EQ(aclrtRecordEvent(event, mine), 0);
            ASSERT_EQ(aclrtStreamWaitEvent(next, event), 0);
            ASSERT_EQ(launch(next, [] {}), 0);
            if (i % 20 == 0) {
                ASSERT_EQ(aclrtSynchronizeEvent(event), 0);
            }
        }
        ASSERT_EQ(aclrtDestroyEvent(event), 0);
    });
    ASSERT_EQ(aclrtSynchronizeDeviceWithTimeout(20000), 0) << message();
}

TEST_F(ThreadTest, StreamsMayBeDestroyedWhileOthersUseThem) {
    for (int round = 0; round < 20; ++round) {
        void* stream = make_stream();
        std::thread user([stream] {
            aclrtSetDevice(0);
            int code = 0;
            while (code == 0) {
                code = launch(stream, [] {});
            }
            EXPECT_EQ(code, kRtInvalidHandle);
        });
        ASSERT_EQ(aclrtDestroyStreamForce(stream), 0) << message();
        user.join();
    }
}

}  // namespace
}  // namespace opweld::npu::test
