#include <sys/wait.h>
#include <unistd.h>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

constexpr size_t kPageBytes = 2 * kMiB;

class VirtualMemoryTest : public RuntimeTest {
  protected:
    static constexpr size_t kPage = kPageBytes;

    static void* physical(size_t bytes, uint32_t device = 0) {
        PhysicalMemProperties properties{};
        properties.location = {device, 1};
        void* handle = nullptr;
        EXPECT_EQ(aclrtMallocPhysical(&handle, bytes, &properties, 0), 0) << message();
        return handle;
    }
    static void* reserve(size_t bytes) {
        void* address = nullptr;
        EXPECT_EQ(aclrtReserveMemAddress(&address, bytes, 0, nullptr, 0), 0) << message();
        return address;
    }
    static size_t free_bytes() {
        size_t free = 0;
        size_t total = 0;
        EXPECT_EQ(aclrtGetMemInfo(1, &free, &total), 0);
        return free;
    }
};

TEST_F(VirtualMemoryTest, ASegmentGrowsInPlace) {
    auto* base = static_cast<char*>(reserve(64 * kPage));
    void* one = physical(kPage);
    void* two = physical(2 * kPage);
    ASSERT_EQ(aclrtMapMem(base, kPage, 0, one, 0), 0) << message();
    EXPECT_THROW(host_address(base, kPage + 1), AclException);
    ASSERT_EQ(aclrtMapMem(base + kPage, 2 * kPage, 0, two, 0), 0) << message();
    const std::vector<int> values(3 * kPage / sizeof(int), 11);
    write(base, values);
    EXPECT_EQ(read<int>(base, values.size()), values);
    EXPECT_NE(host_address(base + kPage - 8, 16), nullptr) << "a tensor may span two handles";
    ASSERT_EQ(aclrtUnmapMem(base + kPage), 0) << message();
    EXPECT_THROW(host_address(base + kPage, 1), AclException);
    EXPECT_EQ(read<int>(base, kPage / sizeof(int)), std::vector<int>(kPage / sizeof(int), 11));
    EXPECT_EQ(aclrtReleaseMemAddress(base), kRtParamInvalid) << "something is mapped";
    ASSERT_EQ(aclrtUnmapMem(base), 0);
    EXPECT_EQ(aclrtReleaseMemAddress(base), 0);
    EXPECT_EQ(aclrtFreePhysical(one), 0);
    EXPECT_EQ(aclrtFreePhysical(two), 0);
}

TEST_F(VirtualMemoryTest, PhysicalMemoryCountsUntilItIsUnmapped) {
    const size_t before = free_bytes();
    void* base = reserve(kPage);
    void* handle = physical(kPage - 5);
    EXPECT_EQ(free_bytes(), before - kPage);
    ASSERT_EQ(aclrtMapMem(base, kPage, 0, handle, 0), 0);
    ASSERT_EQ(aclrtFreePhysical(handle), 0);
    EXPECT_EQ(free_bytes(), before - kPage) << "a mapping keeps the memory";
    ASSERT_EQ(aclrtUnmapMem(base), 0);
    EXPECT_EQ(free_bytes(), before);
    EXPECT_EQ(aclrtFreePhysical(handle), kRtInvalidHandle);
    PhysicalMemProperties properties{};
    properties.location = {0, 1};
    EXPECT_EQ(aclrtMallocPhysical(&handle, 1024 * kMiB, &properties, 0), kRtMemoryAllocation);
    properties.location.type = 0;
    EXPECT_EQ(aclrtMallocPhysical(&handle, kPage, &properties, 0), kRtFeatureNotSupported);
}

TEST_F(VirtualMemoryTest, OneHandleAtTwoAddressesIsOneMemory) {
    void* handle = physical(kPage);
    void* here = reserve(kPage);
    void* there = reserve(kPage);
    ASSERT_EQ(aclrtMapMem(here, kPage, 0, handle, 0), 0);
    ASSERT_EQ(aclrtMapMem(there, kPage, 0, handle, 0), 0);
    write<int>(here, {1, 2, 3});
    EXPECT_EQ(read<int>(there, 3), (std::vector<int>{1, 2, 3}));
}

TEST_F(VirtualMemoryTest, MistakesAreRefused) {
    auto* base = static_cast<char*>(reserve(4 * kPage));
    void* handle = physical(2 * kPage);
    EXPECT_EQ(aclrtMapMem(base + 1, kPage, 0, handle, 0), kRtAddressUnaligned);
    EXPECT_EQ(aclrtMapMem(base, 3 * kPage, 0, handle, 0), kRtParamInvalid);
    EXPECT_EQ(aclrtMapMem(base, 2 * kPage, kPage, handle, 0), kRtParamInvalid);
    EXPECT_EQ(aclrtMapMem(base + 3 * kPage, 2 * kPage, 0, handle, 0), kRtParamInvalid);
    EXPECT_EQ(aclrtMapMem(base, kPage, 0, base, 0), kRtInvalidHandle);
    ASSERT_EQ(aclrtMapMem(base + kPage, 2 * kPage, 0, handle, 0), 0);
    EXPECT_EQ(aclrtMapMem(base, 2 * kPage, 0, handle, 0), kRtParamInvalid);
    EXPECT_NE(message().find("mapped already"), std::string::npos);
    EXPECT_EQ(aclrtMapMem(base + 2 * kPage, kPage, 0, handle, 0), kRtParamInvalid);
    EXPECT_EQ(aclrtUnmapMem(base), kRtParamInvalid);
    EXPECT_EQ(aclrtFree(base + kPage), kRtParamInvalid);
    EXPECT_NE(message().find("use aclrtUnmapMem"), std::string::npos);
    EXPECT_EQ(aclrtReleaseMemAddress(base + kPage), kRtParamInvalid);
    EXPECT_EQ(aclrtReserveMemAddress(nullptr, kPage, 0, nullptr, 0), kInvalidParam);
    size_t granularity = 0;
    PhysicalMemProperties properties{};
    ASSERT_EQ(aclrtMemGetAllocationGranularity(&properties, 0, &granularity), 0);
    EXPECT_EQ(granularity, kPage);
}

TEST_F(VirtualMemoryTest, ExportedMemoryIsImportedByItsNumber) {
    void* handle = physical(kPage);
    void* base = reserve(kPage);
    ASSERT_EQ(aclrtMapMem(base, kPage, 0, handle, 0), 0);
    write<int>(base, {4, 5, 6});
    uint64_t shareable = 0;
    ASSERT_EQ(aclrtMemExportToShareableHandle(handle, 0, 0, &shareable), 0) << message();
    int32_t pid = getpid();
    EXPECT_EQ(aclrtMemSetPidToShareableHandle(shareable, &pid, 1), 0) << message();
    void* imported = nullptr;
    ASSERT_EQ(aclrtMemImportFromShareableHandle(shareable, 1, &imported), 0) << message();
    void* view = reserve(kPage);
    ASSERT_EQ(aclrtMapMem(view, kPage, 0, imported, 0), 0) << message();
    EXPECT_EQ(read<int>(view, 3), (std::vector<int>{4, 5, 6}));
    write<int>(view, {7});
    EXPECT_EQ(read<int>(base, 1), std::vector<int>{7});
    EXPECT_EQ(aclrtMemImportFromShareableHandle(0x12345, 0, &imported), kRtParamInvalid);
    EXPECT_NE(message().find("no shareable handle"), std::string::npos);
}

// The exporter is a child that has a device of its own; the parent, which used none before, imports.
TEST(VirtualMemoryAcrossProcesses, ImportsWhatAnotherProcessExported) {
    int number[2];
    int done[2];
    ASSERT_EQ(pipe(number), 0);
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        PhysicalMemProperties properties{};
        properties.location = {0, 1};
        void* handle = nullptr;
        void* base = nullptr;
        uint64_t shareable = 0;
        const std::vector<int> values{8, 9};
        if (aclrtSetDevice(0) != 0 || aclrtMallocPhysical(&handle, kPageBytes, &properties, 0) != 0 ||
            aclrtReserveMemAddress(&base, kPageBytes, 0, nullptr, 0) != 0 ||
            aclrtMapMem(base, kPageBytes, 0, handle, 0) != 0 ||
            aclrtMemcpy(base, 8, values.data(), 8, kH2D) != 0 ||
            aclrtMemExportToShareableHandle(handle, 0, 0, &shareable) != 0 ||
            write(number[1], &shareable, sizeof(shareable)) != sizeof(shareable)) {
            std::_Exit(1);
        }
        char byte = 0;
        std::_Exit(read(done[0], &byte, 1) == 1 ? 0 : 2);
    }
    close(number[1]);  // so that a child that fails is an end of the file, not a wait
    uint64_t shareable = 0;
    ASSERT_EQ(read(number[0], &shareable, sizeof(shareable)), static_cast<ssize_t>(sizeof(shareable)));
    ASSERT_EQ(aclrtSetDevice(0), 0);
    void* imported = nullptr;
    void* view = nullptr;
    ASSERT_EQ(aclrtMemImportFromShareableHandle(shareable, 0, &imported), 0) << message();
    ASSERT_EQ(aclrtReserveMemAddress(&view, kPageBytes, 0, nullptr, 0), 0);
    ASSERT_EQ(aclrtMapMem(view, kPageBytes, 0, imported, 0), 0) << message();
    std::vector<int> seen(2);
    ASSERT_EQ(aclrtMemcpy(seen.data(), 8, view, 8, kD2H), 0);
    EXPECT_EQ(seen, (std::vector<int>{8, 9}));
    ASSERT_EQ(write(done[1], "x", 1), 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace opweld::npu::test
