// Faults on purpose.
#include <thread>

#include "runtime_test.h"

extern "C" int opweldInjectFaults(const char* specification);

namespace opweld::npu::test {
namespace {

class InjectionTest : public RuntimeTest {
  protected:
    void TearDown() override { EXPECT_EQ(opweldInjectFaults(""), 0); }
};

TEST_F(InjectionTest, TheNthAllocationFails) {
    ASSERT_EQ(opweldInjectFaults("oom@2"), 0);
    void* memory[3] = {};
    EXPECT_EQ(aclrtMalloc(&memory[0], 512, 0), 0);
    EXPECT_EQ(aclrtMalloc(&memory[1], 512, 0), kRtMemoryAllocation);
    EXPECT_NE(message().find("OPWELD_FAULTS"), std::string::npos);
    EXPECT_EQ(aclrtMalloc(&memory[2], 512, 0), 0);
    EXPECT_EQ(aclrtFree(memory[0]), 0);
    EXPECT_EQ(aclrtFree(memory[2]), 0);
}

TEST_F(InjectionTest, TasksFailByNameAndNumber) {
    void* stream = make_stream();
    int ran = 0;
    const auto count = [&] { ++ran; };
    ASSERT_EQ(opweldInjectFaults("memory@2:aclnnAdd"), 0);
    ASSERT_EQ(launch(stream, count, "aclnnAdd"), 0);
    ASSERT_EQ(launch(stream, count, "aclnnMul"), 0);
    ASSERT_EQ(launch(stream, count, "aclnnMul"), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    ASSERT_EQ(launch(stream, count, "aclnnAdd"), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtDeviceMemoryError);
    EXPECT_NE(message().find("aclnnAdd"), std::string::npos);
    EXPECT_EQ(ran, 3);
    ASSERT_EQ(launch(stream, count, "aclnnAdd"), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

TEST_F(InjectionTest, EveryKindHasItsCode) {
    void* stream = make_stream();
    const std::pair<const char*, int> kinds[] = {{"kernel@1", kRtAiCoreException},
                                                 {"abort@1", kRtDeviceTaskAbort},
                                                 {"memory@1", kRtDeviceMemoryError},
                                                 {"ecc@1", kRtMultiBitEccError},
                                                 {"link@1+", kRtLinkError}};
    for (const auto& [specification, code] : kinds) {
        ASSERT_EQ(opweldInjectFaults(specification), 0);
        ASSERT_EQ(launch(stream, [] {}), 0);
        EXPECT_EQ(aclrtSynchronizeStream(stream), code) << specification;
    }
    ASSERT_EQ(launch(stream, [] {}), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtLinkError) << "link@1+ goes on";
}

TEST_F(InjectionTest, AHungStreamStandsUntilItIsAborted) {
    void* stream = make_stream();
    ASSERT_EQ(opweldInjectFaults("hang@1"), 0);
    std::atomic<bool> ran{false};
    ASSERT_EQ(launch(stream, [&] { ran = true; }), 0);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 30), kRtStreamSyncTimeout);
    EXPECT_FALSE(ran);
    EXPECT_EQ(aclrtStreamAbort(stream), 0);
    EXPECT_NE(aclrtSynchronizeStream(stream), 0);
    EXPECT_FALSE(ran);
    ASSERT_EQ(launch(stream, [&] { ran = true; }), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_TRUE(ran);
}

TEST_F(InjectionTest, AFaultySpecificationChangesNothing) {
    ASSERT_EQ(opweldInjectFaults("oom@1"), 0);
    EXPECT_NE(opweldInjectFaults("fire@1"), 0);
    EXPECT_NE(message().find("fire@1"), std::string::npos);
    EXPECT_NE(opweldInjectFaults(nullptr), 0);
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, 512, 0), kRtMemoryAllocation);
}

}  // namespace
}  // namespace opweld::npu::test
