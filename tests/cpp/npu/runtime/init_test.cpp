#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class ConfigFile {
  public:
    explicit ConfigFile(const std::string& text) {
        path_ = (std::filesystem::temp_directory_path() / "opweld-acl-XXXXXX").string();
        const int descriptor = mkstemp(path_.data());
        EXPECT_GE(descriptor, 0);
        close(descriptor);
        std::ofstream(path_) << text;
    }
    ~ConfigFile() { std::remove(path_.c_str()); }
    const char* path() const { return path_.c_str(); }

  private:
    std::string path_;
};

TEST(Init, HappensOnce) {
    EXPECT_EQ(aclFinalize(), kUninitialised);
    ASSERT_EQ(aclInit(nullptr), 0) << message();
    EXPECT_EQ(aclInit(nullptr), kRepeatInitialise);
    ASSERT_EQ(aclFinalize(), 0);
    EXPECT_EQ(aclFinalize(), kRepeatFinalise);
    EXPECT_EQ(aclInit(""), 0) << "and again";
}

TEST(Init, WithoutADefaultDeviceAThreadMustChoose) {
    const ConfigFile file("{\"dump\": {}}");
    ASSERT_EQ(aclInit(file.path()), 0) << message();
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), kRtContextNull);
}

TEST(Init, ADefaultDeviceServesEveryThread) {
    const ConfigFile file("{\"defaultDevice\": {\"default_device\": \"1\"}}");
    ASSERT_EQ(aclInit(file.path()), 0) << message();
    int32_t device = -1;
    ASSERT_EQ(aclrtGetDevice(&device), 0) << message();
    EXPECT_EQ(device, 1);
    std::thread([] {
        void* memory = nullptr;
        EXPECT_EQ(aclrtMalloc(&memory, 64, 0), 0) << message();
        PointerAttributes attributes{};
        EXPECT_EQ(aclrtPointerGetAttributes(memory, &attributes), 0);
        EXPECT_EQ(attributes.location.id, 1U);
    }).join();
}

TEST(Init, FaultyFilesAreNamed) {
    EXPECT_EQ(aclInit("/no/such/file.json"), kInvalidFile);
    EXPECT_NE(message().find("/no/such/file.json"), std::string::npos);
    const ConfigFile broken("{\"defaultDevice\": ");
    EXPECT_EQ(aclInit(broken.path()), kParseFile);
    EXPECT_NE(message().find(broken.path()), std::string::npos);
    const ConfigFile far("{\"defaultDevice\": {\"default_device\": \"9\"}}");
    EXPECT_EQ(aclInit(far.path()), kInvalidParam);
    EXPECT_NE(message().find("from 0 to 1"), std::string::npos);
    EXPECT_EQ(aclInit(nullptr), 0) << "a failed try is none";
}

TEST(Init, AnUnknownSocIsAClearError) {
    EXPECT_EXIT(
        {
            setenv("OPWELD_SOC", "Ascend000", 1);
            const int code = aclInit(nullptr);
            std::fprintf(stderr, "%d %s", code, message().c_str());
            std::_Exit(0);
        },
        testing::ExitedWithCode(0),
        "100000 aclInit: OPWELD_SOC is \"Ascend000\"; the software NPU knows Ascend910B1");
}

}  // namespace
}  // namespace opweld::npu::test
