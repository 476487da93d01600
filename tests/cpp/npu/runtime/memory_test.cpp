#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class MemoryTest : public RuntimeTest {
  protected:
    struct Info {
        size_t free;
        size_t total;
    };
    static Info info() {
        Info asked{};
        EXPECT_EQ(aclrtGetMemInfo(1, &asked.free, &asked.total), 0) << message();
        return asked;
    }
};

TEST_F(MemoryTest, AllocationsAreAlignedAndApart) {
    void* small = allocate(100);
    void* smaller = allocate(1);
    void* large = allocate(3 * kMiB);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 512, 0U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(smaller) % 512, 0U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % (2 * kMiB), 0U);
    write<uint8_t>(small, std::vector<uint8_t>(100, 7));
    write<uint8_t>(smaller, {9});
    write<uint8_t>(large, std::vector<uint8_t>(3 * kMiB, 5));
    EXPECT_EQ(read<uint8_t>(small, 100), std::vector<uint8_t>(100, 7));
    EXPECT_EQ(read<uint8_t>(smaller, 1), std::vector<uint8_t>{9});
    EXPECT_EQ(read<uint8_t>(large, 3 * kMiB), std::vector<uint8_t>(3 * kMiB, 5));
}

TEST_F(MemoryTest, ReportsWhatIsFree) {
    const Info before = info();
    EXPECT_EQ(before.total, 256 * kMiB);
    void* device = allocate(64 * kMiB);
    EXPECT_EQ(info().free, before.free - 64 * kMiB);
    ASSERT_EQ(aclrtFree(device), 0);
    EXPECT_EQ(info().free, before.free);
    size_t free = 1;
    size_t total = 1;
    EXPECT_EQ(aclrtGetMemInfo(0, &free, &total), 0);
    EXPECT_EQ(total, 0U) << "this device has no DDR";
    EXPECT_EQ(aclrtGetMemInfo(99, &free, &total), kInvalidParam);
}

TEST_F(MemoryTest, OutOfMemoryHasItsCodeAndRecovers) {
    void* most = allocate(200 * kMiB);
    void* more = nullptr;
    EXPECT_EQ(aclrtMalloc(&more, 100 * kMiB, 0), kRtMemoryAllocation);
    const std::string text = message();
    EXPECT_NE(text.find("device 0 is out of memory: 104857600 bytes were asked for"), std::string::npos)
        << text;
    EXPECT_NE(text.find("OPWELD_HBM_GIB"), std::string::npos) << text;
    EXPECT_EQ(more, nullptr);
    ASSERT_EQ(aclrtSetDevice(1), 0);
    void* other = allocate(100 * kMiB);
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtFree(most), 0);
    EXPECT_EQ(aclrtMalloc(&more, 100 * kMiB, 0), 0);
    EXPECT_EQ(aclrtFree(more), 0);
    EXPECT_EQ(aclrtFree(other), 0);
    EXPECT_EQ(aclrtMalloc(&more, SIZE_MAX, 0), kRtMemoryAllocation);
    EXPECT_EQ(aclrtMalloc(&more, 0, 0), kInvalidParam);
    EXPECT_EQ(aclrtMalloc(nullptr, 1, 0), kInvalidParam);
}

TEST_F(MemoryTest, FreedMemoryIsUsedAgain) {
    for (int i = 0; i < 200; ++i) {
        void* device = allocate(100 * kMiB);
        ASSERT_EQ(aclrtFree(device), 0);
    }
    std::vector<void*> blocks;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 128; ++i) {
            blocks.push_back(allocate(kMiB + 4096 * static_cast<size_t>(i % 7)));
        }
        for (void* block : blocks) {
            ASSERT_EQ(aclrtFree(block), 0);
        }
        blocks.clear();
    }
}

TEST_F(MemoryTest, WrongPointersGetCodesAndStories) {
    void* device = allocate(4096);
    int host = 0;
    EXPECT_EQ(aclrtFree(static_cast<char*>(device) + 512), kRtParamInvalid);
    EXPECT_NE(message().find("inside an allocation, at offset 512"), std::string::npos);
    EXPECT_EQ(aclrtFree(&host), kRtParamInvalid);
    EXPECT_NE(message().find("ordinary host address"), std::string::npos);
    EXPECT_EQ(aclrtFree(nullptr), kInvalidParam);
    ASSERT_EQ(aclrtFree(device), 0);
    EXPECT_EQ(aclrtFree(device), kRtParamInvalid);
    const std::string text = message();
    EXPECT_NE(text.find("4096 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("made by aclrtMalloc for npu_runtime_test"), std::string::npos) << text;
    EXPECT_NE(text.find("freed by aclrtFree"), std::string::npos) << text;
}

TEST_F(MemoryTest, HostAddressTranslatesLiveRangesOnly) {
    void* device = allocate(1000);
    auto* host = static_cast<char*>(host_address(device, 1000));
    ASSERT_NE(host, nullptr);
    EXPECT_EQ(host, host_address_unchecked(device));
    EXPECT_EQ(host + 10, host_address(static_cast<char*>(device) + 10, 990));
    std::memset(host, 0x5a, 1000);
    EXPECT_EQ(read<uint8_t>(device, 1000), std::vector<uint8_t>(1000, 0x5a));
    EXPECT_THROW(host_address(device, 1001), AclException);
    EXPECT_THROW(host_address(host, 1), AclException);
    EXPECT_EQ(host_address(nullptr, 0), nullptr);
    EXPECT_THROW(host_address(nullptr, 1), AclException);
    int local = 0;
    EXPECT_EQ(host_address_unchecked(&local), nullptr);
    ASSERT_EQ(aclrtFree(device), 0);
    try {
        host_address(device, 1);
        ADD_FAILURE() << "freed memory was accepted";
    } catch (const AclException& error) {
        EXPECT_EQ(error.code(), kRtParamInvalid);
        EXPECT_NE(std::string(error.what()).find("freed by aclrtFree"), std::string::npos) << error.what();
    }
}

TEST_F(MemoryTest, PointersKnowWhereTheyBelong) {
    void* device = allocate(64);
    void* pinned = nullptr;
    ASSERT_EQ(aclrtMallocHost(&pinned, 64), 0);
    int local = 0;
    PointerAttributes attributes{};
    ASSERT_EQ(aclrtPointerGetAttributes(device, &attributes), 0);
    EXPECT_EQ(attributes.location.type, 1);
    EXPECT_EQ(attributes.location.id, 0U);
    ASSERT_EQ(aclrtPointerGetAttributes(pinned, &attributes), 0);
    EXPECT_EQ(attributes.location.type, 0);
    ASSERT_EQ(aclrtPointerGetAttributes(&local, &attributes), 0);
    EXPECT_EQ(attributes.location.type, 2);
    EXPECT_EQ(aclrtFreeHost(pinned), 0);
    EXPECT_EQ(aclrtFreeHost(pinned), kRtParamInvalid);
    EXPECT_EQ(aclrtFreeHost(&local), kRtParamInvalid);
}

TEST_F(MemoryTest, RegisteredHostMemoryIsVisibleToKernels) {
    std::vector<int> values(256, 3);
    const size_t bytes = values.size() * sizeof(int);
    EXPECT_THROW(host_address(values.data(), bytes), AclException);
    void* device = nullptr;
    ASSERT_EQ(aclrtHostRegister(values.data(), bytes, 0, &device), 0) << message();
    EXPECT_EQ(host_address(device, bytes), values.data());
    EXPECT_THROW(host_address(device, bytes + 1), AclException);
    EXPECT_EQ(aclrtHostRegister(values.data(), bytes, 0, &device), kRtParamInvalid);
    EXPECT_EQ(aclrtHostUnregister(values.data()), 0);
    EXPECT_EQ(aclrtHostUnregister(values.data()), kRtParamInvalid);
    EXPECT_THROW(host_address(values.data(), bytes), AclException);

    void* pinned = nullptr;
    ASSERT_EQ(aclrtMallocHost(&pinned, 4096), 0);
    EXPECT_THROW(host_address(pinned, 1), AclException);
    ASSERT_EQ(aclrtHostRegisterV2(pinned, 4096, 0x2), 0) << message();
    void* mapped = nullptr;
    ASSERT_EQ(aclrtHostGetDevicePointer(pinned, &mapped, 0), 0) << message();
    EXPECT_EQ(host_address(mapped, 4096), pinned);
    EXPECT_EQ(aclrtHostUnregister(pinned), 0);
    EXPECT_EQ(aclrtFreeHost(pinned), 0);

    ASSERT_EQ(aclrtMallocHostWithCfg(&pinned, 4096, nullptr), 0);
    EXPECT_EQ(host_address(pinned, 4096), pinned);
    EXPECT_EQ(aclrtFreeHost(pinned), 0);
}

}  // namespace
}  // namespace opweld::npu::test
