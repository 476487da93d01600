#include <set>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class SystemTest : public RuntimeTest {};

TEST(System, VersionsAreReported) {
    PackageVersion version{};
    ASSERT_EQ(aclsysGetCANNVersion(0, &version), 0) << message();
    EXPECT_STREQ(version.version, "8.5.0");
    EXPECT_STREQ(version.major, "8");
    EXPECT_STREQ(version.minor, "5");
    EXPECT_STREQ(version.release, "0");
    EXPECT_EQ(aclsysGetCANNVersion(8, &version), kInvalidParam);
    EXPECT_EQ(aclsysGetCANNVersion(0, nullptr), kInvalidParam);
    char name[] = "ops_math";
    char text[128] = "";
    ASSERT_EQ(aclsysGetVersionStr(name, text), 0) << message();
    EXPECT_STREQ(text, "8.5.0");
    char unknown[] = "no_such_package";
    EXPECT_EQ(aclsysGetVersionStr(unknown, text), kInvalidParam);
    EXPECT_NE(message().find("no_such_package"), std::string::npos);
}

TEST(System, TheSocIsReported) {
    EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1");
    EXPECT_STREQ(soc_name(), "Ascend910B1");
    int mode = -1;
    ASSERT_EQ(aclrtGetRunMode(&mode), 0);
    EXPECT_EQ(mode, 1);
    int64_t value = -1;
    ASSERT_EQ(aclGetDeviceCapability(0, 0, &value), 0);
    EXPECT_EQ(value, 24);
    ASSERT_EQ(aclGetDeviceCapability(0, 1, &value), 0);
    EXPECT_EQ(value, 48);
    ASSERT_EQ(aclrtGetDeviceInfo(0, 301, &value), 0);
    EXPECT_EQ(value, static_cast<int64_t>(256 * kMiB));
    EXPECT_EQ(aclrtGetDeviceInfo(0, 999, &value), kRtFeatureNotSupported);
    EXPECT_EQ(aclGetDeviceCapability(9, 0, &value), kRtInvalidDevice);
    EXPECT_EQ(aclGetDeviceCapability(0, 9, &value), kInvalidParam);
}

TEST(System, DevicesHaveIdentitiesOfTheirOwn) {
    DeviceUuid first{};
    DeviceUuid second{};
    ASSERT_EQ(aclrtDeviceGetUuid(0, &first), 0);
    ASSERT_EQ(aclrtDeviceGetUuid(1, &second), 0);
    EXPECT_NE(std::memcmp(first.bytes, second.bytes, sizeof(first.bytes)), 0);
}

TEST_F(SystemTest, ParametersAreKeptPerProcessAndPerContext) {
    int64_t value = -1;
    ASSERT_EQ(aclrtGetSysParamOpt(0, &value), 0);
    EXPECT_EQ(value, 0);
    ASSERT_EQ(aclrtSetSysParamOpt(0, 1), 0);
    ASSERT_EQ(aclrtGetSysParamOpt(0, &value), 0);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(2, &value), kRtOptionNotSet);
    ASSERT_EQ(aclrtCtxSetSysParamOpt(2, 5), 0);
    ASSERT_EQ(aclrtCtxGetSysParamOpt(2, &value), 0);
    EXPECT_EQ(value, 5);
    ASSERT_EQ(aclrtSetDevice(1), 0);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(2, &value), kRtOptionNotSet);
    EXPECT_EQ(aclrtSetSysParamOpt(3, 1), kInvalidParam);
}

TEST_F(SystemTest, OnlyTheModeThatIsComputedCanBeChosen) {
    EXPECT_EQ(aclrtSetDeviceSatMode(1), 0);
    EXPECT_EQ(aclrtSetDeviceSatMode(0), kRtFeatureNotSupported);
    int mode = -1;
    ASSERT_EQ(aclrtGetDeviceSatMode(&mode), 0);
    EXPECT_EQ(mode, 1);
}

TEST_F(SystemTest, NothingIsBroken) {
    size_t found = 99;
    ASSERT_EQ(aclrtGetMemUceInfo(0, nullptr, 0, &found), 0);
    EXPECT_EQ(found, 0U);
    ErrorInfoHead info{.try_repair = 1, .has_detail = 1, .reserved = {}, .type = 3, .detail_count = 7};
    ASSERT_EQ(aclrtGetErrorVerbose(0, &info), 0);
    EXPECT_EQ(info.type, 0);
    EXPECT_EQ(info.has_detail, 0);
}

TEST(SystemLog, IsQuietUnlessItIsAskedFor) {
    testing::internal::CaptureStderr();
    aclAppLog(3, "function", "dir/file.cpp", 7, "value %d", 42);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SystemLog, FollowsTheLevel) {
    EXPECT_EXIT(
        {
            setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
            aclAppLog(1, "function", "dir/file.cpp", 7, "hidden %d", 41);
            aclAppLog(2, "function", "dir/file.cpp", 7, "value %d", 42);
            std::_Exit(0);
        },
        testing::ExitedWithCode(0),
        "^\\[WARNING\\] APP\\([0-9]+,[0-9]+\\): file.cpp:7 function: value 42\n$");
}

}  // namespace
}  // namespace opweld::npu::test
