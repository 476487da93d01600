// A vendor library's own operator: opweldPrepare and opweldLaunch.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "library.h"

namespace opweld::npu::aclnn::test {
namespace {

// Read once by the library, so it counts for all tests of this program.
const int poison_is_on = setenv("OPWELD_POISON", "1", 1);

constexpr int kNullPointer = 161001;
constexpr int kInvalid = 161002;
constexpr int kInnerNullPointer = 561103;

// out = self * scale + offset (when it is given)
int32_t scale_kernel(const OpweldCall* call, char* error, size_t error_size) {
    const OpweldTensor& self = call->inputs[0].as.tensor;
    const OpweldTensor& offset = call->inputs[1].as.tensor;
    const OpweldTensor& out = call->outputs[0].as.tensor;
    if (std::strcmp(call->attributes[1].as.string, "fail") == 0) {
        std::snprintf(error, error_size, "mode \"fail\" was asked for");
        return 1;
    }
    if (std::strcmp(call->attributes[1].as.string, "nothing") == 0) {
        return 0;
    }
    const double scale = call->attributes[0].as.real;
    for (int64_t i = 0; i < self.shape[0]; ++i) {
        const float add = offset.defined != 0 ? static_cast<const float*>(offset.data)[0] : 0;
        static_cast<float*>(out.data)[i] =
            static_cast<float>(static_cast<const float*>(self.data)[i * self.strides[0]] * scale) + add;
    }
    return 0;
}

int32_t scale_check(const OpweldCall* call, char* error, size_t error_size) {
    EXPECT_EQ(call->inputs[0].as.tensor.data, nullptr) << "there is no data in the first phase";
    if (call->inputs[0].as.tensor.ndim != 1) {
        std::snprintf(error, error_size, "'self' must be a vector");
        return 1;
    }
    return 0;
}

class Vendor : public ::testing::Test {
  protected:
    int prepare(const aclTensor* self, const aclTensor* offset, const aclTensor* out, const char* mode,
                const char* name = "aclnnTestScale") {
        const OpweldOperator op{OPWELD_KERNEL_ABI, 0, name, scale_kernel, scale_check};
        constexpr uint64_t kFloat = 1U << OPWELD_FLOAT32;
        OpweldArgument inputs[] = {{OPWELD_KIND_TENSOR, 0, "self", {.tensor = self}, kFloat},
                                   {OPWELD_KIND_TENSOR, 1, "offset", {.tensor = offset}, kFloat}};
        OpweldArgument attributes[] = {{OPWELD_KIND_FLOAT, 0, "scale", {.real = 2.0}, 0},
                                       {OPWELD_KIND_STRING, 0, "mode", {.string = mode}, 0}};
        OpweldArgument outputs[] = {{OPWELD_KIND_TENSOR, 0, "out", {.tensor = out}, kFloat}};
        executor = nullptr;
        return opweldPrepare(&op, inputs, 2, attributes, 2, outputs, 1, &workspace, &executor);
    }

    Device<float> in{{1, 2, 3, 4}};
    Device<float> out{4};
    uint64_t workspace = 1;
    aclOpExecutor* executor = nullptr;
};

TEST_F(Vendor, RunsTheKernel) {
    {
        const Tensor self = tensor(in.data(), {2}, OPWELD_FLOAT32, {2});
        const Tensor to = tensor(out.data(), {2});
        std::string mode = "plain";
        ASSERT_EQ(prepare(self.get(), nullptr, to.get(), mode.c_str()), 0) << message();
        mode = "fail";  // the executor has its own copy
    }
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(out.read(), (std::vector<float>{2, 6, 0, 0}));
}

TEST_F(Vendor, WhatAKernelDoesNotWriteIsPoison) {
    ASSERT_EQ(poison_is_on, 0);
    const Tensor self = tensor(in.data(), {2}, OPWELD_FLOAT32, {2});
    const Tensor to = tensor(out.data(), {2}, OPWELD_FLOAT32, {2}, 1);
    ASSERT_EQ(prepare(self.get(), nullptr, to.get(), "nothing"), 0) << message();
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(synchronize(), 0);
    const std::vector<float> values = out.read();
    EXPECT_EQ(values[0], 0);
    EXPECT_TRUE(std::isnan(values[1]));
    EXPECT_EQ(values[2], 0);
    EXPECT_TRUE(std::isnan(values[3]));
    // An output that shares memory with an input keeps it.
    const Tensor same = tensor(in.data(), {4});
    ASSERT_EQ(prepare(same.get(), nullptr, same.get(), "nothing"), 0) << message();
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(in.read(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(Vendor, OptionalTensorsMayBeGiven) {
    const Tensor self = tensor(in.data(), {4});
    const Tensor offset = tensor(in.data(), {1}, OPWELD_FLOAT32, {1}, 3);
    const Tensor to = tensor(out.data(), {4});
    ASSERT_EQ(prepare(self.get(), offset.get(), to.get(), "plain"), 0) << message();
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(out.read(), (std::vector<float>{6, 8, 10, 12}));
}

TEST_F(Vendor, ArgumentsAreChecked) {
    const Tensor self = tensor(in.data(), {4});
    EXPECT_EQ(prepare(nullptr, nullptr, self.get(), "plain"), kNullPointer);
    EXPECT_NE(message().find("aclnnTestScale: argument 'self'"), std::string::npos);
    const Tensor half = tensor(in.data(), {4}, OPWELD_FLOAT16);
    EXPECT_EQ(prepare(half.get(), nullptr, self.get(), "plain"), kInvalid);
    EXPECT_NE(message().find("expected one of float32"), std::string::npos);
    const Tensor matrix = tensor(in.data(), {2, 2});
    EXPECT_EQ(prepare(matrix.get(), nullptr, self.get(), "plain"), kInvalid);
    const std::string text = message();
    EXPECT_NE(text.find("aclnnTestScale: 'self' must be a vector"), std::string::npos) << text;
    EXPECT_EQ(opweldLaunch(nullptr, 0, nullptr, nullptr), kInvalid);
    EXPECT_EQ(message().find(text), 0U);
}

TEST_F(Vendor, AFailureIsRepeatedUntilTheSameFunctionSucceeds) {
    const Tensor self = tensor(in.data(), {4});
    const Tensor to = tensor(out.data(), {4});
    ASSERT_EQ(prepare(nullptr, nullptr, to.get(), "plain"), kNullPointer);
    ASSERT_EQ(prepare(self.get(), nullptr, to.get(), "plain", "aclnnTestScaleAll"), 0) << message();
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(opweldLaunch(nullptr, 0, nullptr, nullptr), kNullPointer);
    ASSERT_EQ(prepare(self.get(), nullptr, to.get(), "plain"), 0) << message();
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(opweldLaunch(nullptr, 0, nullptr, nullptr), kInnerNullPointer);
    EXPECT_NE(message().find("called without an executor"), std::string::npos) << message();
    ASSERT_EQ(synchronize(), 0);
}

TEST_F(Vendor, AFailingKernelIsReported) {
    const Tensor self = tensor(in.data(), {4});
    const Tensor to = tensor(out.data(), {4});
    ASSERT_EQ(prepare(self.get(), nullptr, to.get(), "fail"), 0) << message();
    ASSERT_EQ(opweldLaunch(nullptr, 0, executor, nullptr), 0);
    EXPECT_NE(synchronize(), 0);
    const std::string text = message();
    EXPECT_NE(text.find("aclnnTestScale"), std::string::npos) << text;
    EXPECT_NE(text.find("mode \"fail\" was asked for"), std::string::npos) << text;
}

TEST_F(Vendor, AnotherKernelInterfaceIsRefusedByName) {
    const OpweldOperator op{OPWELD_KERNEL_ABI + 1, 0, "aclnnTestScale", scale_kernel, nullptr};
    EXPECT_EQ(opweldPrepare(&op, nullptr, 0, nullptr, 0, nullptr, 0, &workspace, &executor), kInvalid);
    EXPECT_NE(message().find("build it again"), std::string::npos);
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
