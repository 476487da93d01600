#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

// How a process ends that touches what it must not: by SIGSEGV, unless a sanitizer reports the fault first.
bool ended_by_fault(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return status != 0;
#else
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
#endif
}

class FaultDeathTest : public RuntimeTest {};

TEST_F(FaultDeathTest, AHostReadOfDeviceMemoryIsExplained) {
    EXPECT_EXIT(
        {
            auto* device = static_cast<volatile int*>(allocate(4096));
            std::_Exit(device[25]);
        },
        ended_by_fault,
        "host code touched NPU memory at 0x[0-9a-f]+ on device 0: it lies at offset 100 of allocation 1 "
        ".4096 bytes at "
        "0x[0-9a-f]+ on device 0, made by aclrtMalloc for npu_runtime_test");
}

TEST_F(FaultDeathTest, AHostWriteToFreedMemoryIsExplained) {
    EXPECT_EXIT(
        {
            auto* device = static_cast<volatile int*>(allocate(4 * kMiB));
            aclrtFree(const_cast<int*>(device));
            *device = 1;
            std::_Exit(0);
        },
        ended_by_fault, "4194304 bytes at .*, which was freed by aclrtFree");
}

void former_handler(int) {
    constexpr char text[] = "former handler\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof(text) - 1);
    std::_Exit(42);
}

TEST(FaultChainDeathTest, TheFormerHandlerHasTheLastWord) {
    EXPECT_EXIT(
        {
            signal(SIGSEGV, former_handler);
            aclrtSetDevice(0);
            void* memory = nullptr;
            aclrtMalloc(&memory, 64, 0);
            *static_cast<volatile int*>(memory) = 1;
            std::_Exit(0);
        },
        testing::ExitedWithCode(42), "host code touched NPU memory.*(.|\n)*former handler");
}

TEST(FaultChainDeathTest, OtherFaultsGoStraightToTheFormerHandler) {
    EXPECT_EXIT(
        {
            signal(SIGSEGV, former_handler);
            aclrtSetDevice(0);
            void* nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            *static_cast<volatile int*>(nowhere) = 1;
            std::_Exit(0);
        },
        testing::ExitedWithCode(42), "^former handler\n$");
}

TEST(FaultChainDeathTest, ARaisedSignalEndsTheProcess) {
    EXPECT_EXIT(
        {
            signal(SIGSEGV, SIG_DFL);
            aclrtSetDevice(0);
            raise(SIGSEGV);
            std::_Exit(0);
        },
        testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace opweld::npu::test
