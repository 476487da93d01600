// Identity through the single-operator interface: a copy between plain formats, on a stream.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "npu/aclop/acl_op.h"
#include "npu/runtime/acl_api.h"
#include "tests/cpp/npu/aclop/message.h"

namespace {

constexpr int kFloat32 = 0;
constexpr int kFloat16 = 1;
constexpr int kNchw = 0;
constexpr int kNd = 2;
constexpr int kNc1hwc0 = 3;

class Identity : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(aclrtSetDevice(0), 0) << message();
        ASSERT_EQ(aclrtMalloc(&source_, 64, 0), 0) << message();
        ASSERT_EQ(aclrtMalloc(&target_, 64, 0), 0) << message();
        const std::vector<float> values{1, 2, 3, 4, 5, 6};
        ASSERT_EQ(aclrtMemcpy(source_, 64, values.data(), 24, 1), 0) << message();
    }
    void TearDown() override {
        aclrtFree(source_);
        aclrtFree(target_);
    }

    int run(const std::vector<int64_t>& from, int from_format, const std::vector<int64_t>& to, int to_format,
            int to_dtype = kFloat32, size_t room = 64) {
        aclTensorDesc* input =
            aclCreateTensorDesc(kFloat32, static_cast<int>(from.size()), from.data(), from_format);
        aclTensorDesc* output =
            aclCreateTensorDesc(to_dtype, static_cast<int>(to.size()), to.data(), to_format);
        aclDataBuffer* read = aclCreateDataBuffer(source_, 64);
        aclDataBuffer* written = aclCreateDataBuffer(target_, room);
        aclTensorDesc* inputs[] = {input};
        aclTensorDesc* outputs[] = {output};
        aclDataBuffer* in[] = {read};
        aclDataBuffer* out[] = {written};
        const int code = aclopCompileAndExecuteV2("Identity", 1, inputs, in, 1, outputs, out, nullptr, 0, 0,
                                                  nullptr, nullptr);
        aclDestroyDataBuffer(read);
        aclDestroyDataBuffer(written);
        aclDestroyTensorDesc(input);
        aclDestroyTensorDesc(output);
        return code;
    }

    void* source_ = nullptr;
    void* target_ = nullptr;
};

TEST_F(Identity, Copies) {
    ASSERT_EQ(run({2, 3}, kNd, {6, 1, 1, 1}, kNchw), 0) << message();
    std::vector<float> values(6);
    ASSERT_EQ(aclrtSynchronizeDevice(), 0) << message();
    ASSERT_EQ(aclrtMemcpy(values.data(), 24, target_, 24, 2), 0) << message();
    EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Identity, TakesNoElements) { EXPECT_EQ(run({0, 3}, kNd, {0}, kNd), 0) << message(); }

TEST_F(Identity, RefusesToReorder) {
    EXPECT_EQ(run({1, 2, 1, 1}, kNchw, {1, 1, 1, 1, 16}, kNc1hwc0), 207000);
    EXPECT_TRUE(message_has("operator Identity: a cast from format 0 to format 3")) << message();
}

TEST_F(Identity, RefusesWhatDoesNotMatch) {
    EXPECT_EQ(run({2, 3}, kNd, {2, 2}, kNd), 100000);
    EXPECT_TRUE(message_has("as many elements: Identity(float32[2,3]) -> float32[2,2]")) << message();
    EXPECT_EQ(run({2, 3}, kNd, {2, 3}, kNd, kFloat16), 100000);
    EXPECT_EQ(run({-2, 3}, kNd, {-2, 3}, kNd), 100000);
    EXPECT_TRUE(message_has("negative or too large")) << message();
    EXPECT_EQ(run({int64_t{1} << 62, 8}, kNd, {int64_t{1} << 62, 8}, kNd), 100000);
    EXPECT_EQ(run({2, 3}, kNd, {2, 3}, kNd, kFloat32, 20), 100000);
    EXPECT_TRUE(message_has("the buffer of the output has 20 bytes, the tensor needs 24")) << message();
    EXPECT_EQ(run({2000}, kNd, {2000}, kNd), 100000);
}

TEST_F(Identity, NeedsItsArguments) {
    EXPECT_EQ(aclopCompileAndExecute("Identity", 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, 0, 0,
                                     nullptr, nullptr),
              100000);
    EXPECT_TRUE(message_has("one input and one output")) << message();
}

}  // namespace
