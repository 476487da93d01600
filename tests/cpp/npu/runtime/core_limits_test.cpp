#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

constexpr int kCube = 0;
constexpr int kVector = 1;

class CoreLimitsTest : public RuntimeTest {};

uint32_t of_device(int kind) {
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetDeviceResLimit(0, kind, &value), 0) << message();
    return value;
}

uint32_t of_stream(void* stream, int kind) {
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetStreamResLimit(stream, kind, &value), 0) << message();
    return value;
}

uint32_t of_thread(int kind) {
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetResInCurrentThread(kind, &value), 0) << message();
    return value;
}

TEST_F(CoreLimitsTest, AreThoseOfTheDeviceUntilAStreamHasItsOwn) {
    void* stream = make_stream();
    int64_t cubes = 0;
    ASSERT_EQ(aclGetDeviceCapability(0, 0, &cubes), 0);
    EXPECT_EQ(of_device(kCube), cubes);
    EXPECT_EQ(of_stream(stream, kCube), cubes);
    ASSERT_EQ(aclrtSetDeviceResLimit(0, kCube, 5), 0) << message();
    EXPECT_EQ(of_stream(stream, kCube), 5U);
    ASSERT_EQ(aclrtSetStreamResLimit(stream, kCube, 2), 0) << message();
    ASSERT_EQ(aclrtSetStreamResLimit(stream, kVector, 3), 0) << message();
    EXPECT_EQ(of_stream(stream, kCube), 2U);
    EXPECT_EQ(of_stream(stream, kVector), 3U);
    EXPECT_EQ(of_stream(nullptr, kCube), 5U);
    ASSERT_EQ(aclrtResetStreamResLimit(stream), 0);
    EXPECT_EQ(of_stream(stream, kCube), 5U);
    ASSERT_EQ(aclrtResetDeviceResLimit(0), 0);
    EXPECT_EQ(of_stream(stream, kCube), cubes);
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CoreLimitsTest, AThreadHasThoseOfTheStreamThatItChose) {
    void* stream = make_stream();
    ASSERT_EQ(aclrtSetStreamResLimit(stream, kVector, 7), 0);
    ASSERT_EQ(aclrtUseStreamResInCurrentThread(stream), 0);
    EXPECT_EQ(of_thread(kVector), 7U);
    std::thread([] {
        ASSERT_EQ(aclrtSetDevice(0), 0);
        EXPECT_EQ(of_thread(kVector), of_device(kVector));
    }).join();
    ASSERT_EQ(aclrtUnuseStreamResInCurrentThread(stream), 0);
    EXPECT_EQ(of_thread(kVector), of_device(kVector));
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(CoreLimitsTest, RefusesWhatNoDeviceHas) {
    uint32_t value = 0;
    EXPECT_NE(aclrtSetDeviceResLimit(0, kCube, 0), 0);
    EXPECT_NE(aclrtSetDeviceResLimit(0, kCube, 100000), 0);
    EXPECT_NE(message().find("100000 cube cores"), std::string::npos) << message();
    EXPECT_NE(aclrtSetDeviceResLimit(0, 2, 1), 0);
    EXPECT_NE(aclrtGetDeviceResLimit(99, kCube, &value), 0);
    EXPECT_NE(aclrtGetDeviceResLimit(0, kCube, nullptr), 0);
}

}  // namespace
}  // namespace opweld::npu::test
