#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class DeviceTest : public RuntimeTest {};

TEST(DeviceCount, IsKnownBeforeAnyDeviceIsUsed) {
    uint32_t count = 0;
    ASSERT_EQ(aclrtGetDeviceCount(&count), 0);
    EXPECT_EQ(count, 2U);
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), kRtContextNull);
    EXPECT_NE(message().find("aclrtSetDevice"), std::string::npos);
    void* context = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&context), kRtContextNull);
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, 64, 0), kRtContextNull);
}

TEST_F(DeviceTest, TheCurrentDeviceBelongsToTheThread) {
    ASSERT_EQ(aclrtSetDevice(1), 0);
    std::thread([] {
        int32_t device = -1;
        EXPECT_EQ(aclrtGetDevice(&device), kRtContextNull);
        EXPECT_EQ(aclrtSetDevice(0), 0);
        EXPECT_EQ(aclrtGetDevice(&device), 0);
        EXPECT_EQ(device, 0);
    }).join();
    int32_t device = -1;
    ASSERT_EQ(aclrtGetDevice(&device), 0);
    EXPECT_EQ(device, 1);
}

TEST_F(DeviceTest, UnknownDevicesAreRefused) {
    EXPECT_EQ(aclrtSetDevice(2), kRtInvalidDevice);
    EXPECT_NE(message().find("device 2 does not exist: there are 2"), std::string::npos);
    EXPECT_EQ(aclrtSetDevice(-1), kRtInvalidDevice);
    EXPECT_EQ(aclrtResetDevice(7), kRtInvalidDevice);
}

TEST_F(DeviceTest, ResettingFreesWhatTheDeviceHeld) {
    void* memory = allocate(kMiB);
    void* stream = make_stream();
    int32_t active = 0;
    ASSERT_EQ(aclrtGetPrimaryCtxState(0, nullptr, &active), 0);
    EXPECT_EQ(active, 1);
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtResetDevice(0), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << "one user is left";
    ASSERT_EQ(aclrtResetDevice(0), 0);
    ASSERT_EQ(aclrtGetPrimaryCtxState(0, nullptr, &active), 0);
    EXPECT_EQ(active, 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInvalidHandle);
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), kRtContextNull);
    EXPECT_EQ(aclrtFree(memory), kRtParamInvalid);
    EXPECT_NE(message().find("freed by aclrtResetDevice"), std::string::npos);
    ASSERT_EQ(aclrtSetDevice(0), 0);
    EXPECT_NE(allocate(kMiB), nullptr);
}

TEST_F(DeviceTest, ContextsAreMadeUsedAndDestroyed) {
    void* primary = nullptr;
    ASSERT_EQ(aclrtGetCurrentContext(&primary), 0);
    void* context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 1), 0) << message();
    int32_t device = -1;
    ASSERT_EQ(aclrtGetDevice(&device), 0);
    EXPECT_EQ(device, 1);
    bool ran = false;
    ASSERT_EQ(launch(nullptr, [&] { ran = true; }), 0);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), 0);
    EXPECT_TRUE(ran);
    ASSERT_EQ(aclrtSetCurrentContext(primary), 0);
    ASSERT_EQ(aclrtGetDevice(&device), 0);
    EXPECT_EQ(device, 0);
    ASSERT_EQ(aclrtDestroyContext(context), 0) << message();
    EXPECT_EQ(aclrtDestroyContext(context), kRtInvalidHandle);
    EXPECT_EQ(aclrtSetCurrentContext(context), kRtInvalidHandle);
    EXPECT_EQ(aclrtSetCurrentContext(nullptr), kRtInvalidHandle);
    EXPECT_EQ(aclrtDestroyContext(primary), kRtParamInvalid);
}

TEST_F(DeviceTest, DevicesReachEachOther) {
    int32_t can = 0;
    ASSERT_EQ(aclrtDeviceCanAccessPeer(&can, 0, 1), 0);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&can, 0, 0), kRtParamInvalid);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), 0);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(5, 0), kRtInvalidDevice);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 9), kRtFeatureNotSupported);
    int32_t status = 0;
    ASSERT_EQ(aclrtDevicePeerAccessStatus(0, 1, &status), 0);
    EXPECT_EQ(status, 1);
    EXPECT_EQ(aclrtDeviceDisablePeerAccess(1), 0);
}

TEST_F(DeviceTest, UtilizationSeesStreamsAtWork) {
    UtilizationInfo info{};
    ASSERT_EQ(aclrtGetDeviceUtilizationRate(0, &info), 0);
    EXPECT_EQ(info.cube, 0);
    allocate(128 * kMiB);
    void* stream = make_stream();
    Barrier barrier(stream);
    ASSERT_EQ(aclrtGetDeviceUtilizationRate(0, &info), 0);
    EXPECT_EQ(info.cube, 100);
    EXPECT_EQ(info.memory, 50);
}

}  // namespace
}  // namespace opweld::npu::test
