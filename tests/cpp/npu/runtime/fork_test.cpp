#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

// Runs `body` in a forked child and returns the child's exit code; 255 stands for a crash.
template <class Body>
int in_child(Body&& body) {
    const pid_t child = fork();
    if (child == 0) {
        std::_Exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

class ForkTest : public RuntimeTest {};

TEST_F(ForkTest, AChildOfAUsedDeviceIsRefusedByName) {
    void* stream = make_stream();
    void* event = make_event();
    void* device = allocate(64);
    EXPECT_EQ(
        in_child([&] {
            void* memory = nullptr;
            std::vector<int> values(16);
            const std::vector<int> codes{
                aclrtMalloc(&memory, 64, 0),
                aclrtSetDevice(0),
                launch(stream, [] {}),
                aclrtRecordEvent(event, stream),
                aclrtStreamWaitEvent(stream, event),
                aclrtCreateStream(&memory),
                aclrtMemcpy(device, 64, values.data(), 64, kH2D),
                aclrtMemset(device, 64, 0, 64),
            };
            for (const int code : codes) {
                if (code != kRtInternalError) {
                    return 1;
                }
            }
            if (message().find("aclrtMemset: this process was forked from process") != 0) {
                return 2;
            }
            if (check_process("aclnnAdd") != kRtInternalError ||
                message().find("aclnnAdd: this process") != 0) {
                return 3;
            }
            if (launch(stream, [] {}, "aclnnMul") == 0 || message().find("aclnnMul: this process") != 0) {
                return 4;
            }
            return 0;
        }),
        0);
    bool ran = false;
    ASSERT_EQ(launch(stream, [&] { ran = true; }), 0) << "the parent goes on";
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_TRUE(ran);
    EXPECT_EQ(check_process("aclnnAdd"), 0);
}

TEST_F(ForkTest, AChildMayCopyToTheHostAndEndInPeace) {
    void* stream = make_stream();
    void* device = allocate(4 * kMiB);
    const std::vector<int> values(kMiB, 77);
    write(device, values);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(in_child([&] {
                  std::vector<int> seen(kMiB);
                  int32_t current = -1;
                  if (aclrtGetDevice(&current) != 0 || current != 0) {
                      return 1;
                  }
                  if (aclrtSynchronizeStream(stream) != 0 || aclrtSynchronizeDevice() != 0) {
                      return 2;
                  }
                  if (aclrtMemcpy(seen.data(), 4 * kMiB, device, 4 * kMiB, kD2H) != 0 || seen != values) {
                      return 3;
                  }
                  if (aclrtFree(device) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0) {
                      return 4;
                  }
                  return 0;
              }),
              0);
    EXPECT_EQ(read<int>(device, kMiB), values);
}

TEST_F(ForkTest, AForkBesideBusyThreadsLeavesNoLockBehind) {
    std::atomic<bool> end{false};
    std::vector<std::thread> busy;
    for (int i = 0; i < 2; ++i) {
        busy.emplace_back([&] {
            aclrtSetDevice(0);
            while (!end) {
                void* memory = nullptr;
                void* event = nullptr;
                EXPECT_EQ(aclrtMalloc(&memory, 4096, 0), 0);
                EXPECT_EQ(aclrtCreateEventExWithFlag(&event, 1), 0);
                EXPECT_EQ(aclrtRecordEvent(event, nullptr), 0);
                EXPECT_EQ(aclrtDestroyEvent(event), 0);
                EXPECT_EQ(aclrtFree(memory), 0);
            }
        });
    }
    void* device = allocate(64);
    write<int>(device, std::vector<int>(16, 5));
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(in_child([&] {
                      std::vector<int> seen(16);
                      return aclrtMemcpy(seen.data(), 64, device, 64, kD2H) == 0 && seen[15] == 5 ? 0 : 1;
                  }),
                  0);
    }
    end = true;
    for (auto& thread : busy) {
        thread.join();
    }
}

TEST(ForkBeforeUse, AChildIsFree) {
    ASSERT_EQ(aclInit(nullptr), 0);
    uint32_t count = 0;
    ASSERT_EQ(aclrtGetDeviceCount(&count), 0);
    EXPECT_EQ(in_child([] {
                  if (aclrtSetDevice(0) != 0) {
                      return 1;
                  }
                  bool ran = false;
                  if (launch(nullptr, [&] { ran = true; }) != 0 || aclrtSynchronizeDevice() != 0) {
                      return 2;
                  }
                  return ran ? 0 : 3;
              }),
              0);
}

}  // namespace
}  // namespace opweld::npu::test
