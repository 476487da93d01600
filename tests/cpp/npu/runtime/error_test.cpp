#include <stdexcept>
#include <thread>

#include "runtime_test.h"

namespace opweld::npu::test {
namespace {

class ErrorTest : public RuntimeTest {
  protected:
    static void fail_on(void* stream, const std::string& name = "aclnnBroken") {
        ASSERT_EQ(launch(
                      stream, [] { throw AclException(kRtAiCoreException, "tensor `x` is too odd"); }, name),
                  0)
            << "the error of a task is not the error of the call";
    }
};

TEST_F(ErrorTest, SurfacesAtTheNextSynchronisationAndOnlyThere) {
    void* stream = make_stream();
    fail_on(stream);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtAiCoreException);
    const std::string text = message();
    EXPECT_NE(text.find("aclnnBroken: tensor `x` is too odd"), std::string::npos) << text;
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << "reported once";
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(ErrorTest, SurfacesAtTheDevicesSynchronisation) {
    void* one = make_stream();
    void* two = make_stream();
    fail_on(one, "aclnnFirst");
    fail_on(two, "aclnnSecond");
    EXPECT_EQ(aclrtSynchronizeDevice(), kRtAiCoreException);
    const std::string text = message();
    EXPECT_NE(text.find("aclnnFirst"), std::string::npos) << text;
    EXPECT_NE(text.find("aclnnSecond"), std::string::npos) << text;
    EXPECT_EQ(aclrtSynchronizeDevice(), 0);
}

TEST_F(ErrorTest, AnyExceptionIsAnError) {
    void* stream = make_stream();
    ASSERT_EQ(launch(stream, [] { throw std::runtime_error("plain"); }, "aclnnStd"), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtAiCoreException);
    EXPECT_NE(message().find("aclnnStd: plain"), std::string::npos);
    ASSERT_EQ(launch(stream, [] { throw 7; }, "aclnnOdd"), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtAiCoreException);
    EXPECT_NE(message().find("aclnnOdd"), std::string::npos);
    ASSERT_EQ(launch(stream, [] { throw std::bad_alloc(); }, "aclnnBig"), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kBadAlloc);
}

TEST_F(ErrorTest, FailureModesDropOrKeepWhatFollows) {
    void* stream = make_stream();
    int ran = 0;
    ASSERT_EQ(aclrtSetStreamFailureMode(stream, kStopOnFailure), 0);
    fail_on(stream);
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    void* event = make_event();
    ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    EXPECT_EQ(aclrtSynchronizeEvent(event), kRtAiCoreException)
        << "the event reports what the stream would have";
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(ran, 0);
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << message();
    EXPECT_EQ(ran, 1);
    ASSERT_EQ(aclrtSetStreamFailureMode(stream, kContinueOnFailure), 0);
    fail_on(stream);
    fail_on(stream);
    ASSERT_EQ(launch(stream, [&] { ++ran; }), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kRtAiCoreException);
    EXPECT_NE(message().find("and 1 further errors"), std::string::npos);
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(aclrtSetStreamFailureMode(stream, 2), kInvalidParam);
    EXPECT_EQ(aclrtSetStreamFailureMode(nullptr, 1), kInvalidParam);
}

TEST_F(ErrorTest, MessagesBelongToTheirThread) {
    EXPECT_EQ(aclrtFree(nullptr), kInvalidParam);
    std::thread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); }).join();
    EXPECT_EQ(message(), "aclrtFree: argument `devPtr` is a null pointer");
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "a message is given once";
    EXPECT_EQ(fail(12345, "said by another library"), 12345);
    EXPECT_EQ(message(), "said by another library");
}

TEST_F(ErrorTest, LastErrorIsKeptUntilItIsTaken) {
    aclrtGetLastError(0);
    EXPECT_EQ(aclrtFree(nullptr), kInvalidParam);
    EXPECT_EQ(aclrtGetDeviceCount(nullptr), kInvalidParam);
    EXPECT_EQ(aclrtPeekAtLastError(0), kInvalidParam);
    EXPECT_EQ(aclrtPeekAtLastError(0), kInvalidParam);
    EXPECT_EQ(aclrtGetLastError(0), kInvalidParam);
    EXPECT_EQ(aclrtGetLastError(0), 0);
    std::thread([] {
        int32_t device = 0;
        EXPECT_EQ(aclrtGetDevice(&device), kRtContextNull);
        EXPECT_EQ(aclrtPeekAtLastError(0), 0) << "asking is not a fault";
    }).join();
}

TEST_F(ErrorTest, AnErrorThatNobodyAskedForIsPrintedAtTheEnd) {
    EXPECT_EXIT(
        {
            aclInit(nullptr);
            aclrtSetDevice(0);
            launch(nullptr, [] { throw std::runtime_error("unheard"); }, "aclnnLost");
            void* stream = nullptr;
            aclrtCtxGetCurrentDefaultStream(&stream);
            int status = 1;
            while (status != 0) {
                aclrtStreamQuery(stream, &status);
            }
            aclFinalize();
            std::_Exit(0);
        },
        testing::ExitedWithCode(0), "aclnnLost: unheard");
}

}  // namespace
}  // namespace opweld::npu::test
