// What the first phase refuses, and how it says so.
#include <gtest/gtest.h>

#include <thread>

#include "library.h"

namespace opweld::npu::aclnn::test {
namespace {

constexpr int kNullPointer = 161001;
constexpr int kInvalid = 161002;
constexpr int kKernelMissing = 561003;
constexpr int kInnerNullPointer = 561103;

class Prepare : public ::testing::Test {
  protected:
    int add(aclTensor* self, aclTensor* other, aclScalar* alpha, aclTensor* out) {
        return call("aclnnAddGetWorkspaceSize", static_cast<const aclTensor*>(self),
                    static_cast<const aclTensor*>(other), static_cast<const aclScalar*>(alpha), out,
                    &workspace, &executor);
    }

    void expect_message(std::initializer_list<const char*> parts) {
        const std::string text = message();
        for (const char* part : parts) {
            EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
        }
    }

    Device<float> memory{16};
    uint64_t workspace = 1;
    aclOpExecutor* executor = nullptr;
};

TEST_F(Prepare, NullIsNamed) {
    const Tensor a = tensor(memory.data(), {4});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), nullptr, one.get(), a.get()), kNullPointer);
    expect_message({"aclnnAdd", "'other'", "null"});
    EXPECT_EQ(executor, nullptr);
}

TEST_F(Prepare, ShapesThatDontBroadcastAreShown) {
    const Tensor a = tensor(memory.data(), {4});
    const Tensor b = tensor(memory.data(), {3});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), b.get(), one.get(), a.get()), kInvalid);
    expect_message({"aclnnAdd", "broadcast", "'self' [4]", "'other' [3]"});
}

TEST_F(Prepare, AnOutputOfAnotherShapeIsShown) {
    const Tensor a = tensor(memory.data(), {2, 1});
    const Tensor b = tensor(memory.data(), {1, 3});
    const Tensor out = tensor(memory.data(), {2, 2});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), b.get(), one.get(), out.get()), kInvalid);
    expect_message({"aclnnAdd", "'out'", "[2, 2]", "[2, 3]"});
}

TEST_F(Prepare, AnOutputThatCantHoldTheResultIsRefused) {
    const Tensor a = tensor(memory.data(), {4});
    const Tensor out = tensor(memory.data(), {4}, OPWELD_INT32);
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), a.get(), one.get(), out.get()), kInvalid);
    expect_message({"'out'", "int32", "float32"});
}

TEST_F(Prepare, ADtypeThatTheDeviceLacksIsRefused) {
    const Tensor a = tensor(memory.data(), {2, 2}, OPWELD_FLOAT64);
    const int8_t keep = 0;
    EXPECT_EQ(call("aclnnMmGetWorkspaceSize", static_cast<const aclTensor*>(a.get()),
                   static_cast<const aclTensor*>(a.get()), a.get(), keep, &workspace, &executor),
              kInvalid);
    expect_message({"aclnnMm", "'self'", "float64", "float32, float16, bfloat16", "OPWELD_LENIENT"});
    const Tensor b = tensor(memory.data(), {4}, OPWELD_UINT16);
    const Scalar one = scalar(1);
    EXPECT_EQ(add(b.get(), b.get(), one.get(), b.get()), kInvalid);
    expect_message({"uint16"});
}

TEST_F(Prepare, MemoryThatIsTooSmallIsRefused) {
    const Tensor a = tensor(memory.data(), {1 << 20});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), a.get(), one.get(), a.get()), kInvalid);
    expect_message({"aclnnAdd", "'self'"});
}

TEST_F(Prepare, HostMemoryIsRefused) {
    float host[4] = {};
    const Tensor a = tensor(host, {4});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), a.get(), one.get(), a.get()), kInvalid);
    expect_message({"aclnnAdd", "'self'"});
}

TEST_F(Prepare, AnInternalFormatIsRefused) {
    const int64_t shape[] = {4};
    const Tensor a(call<aclTensor*>("aclCreateTensor", static_cast<const int64_t*>(shape), uint64_t{1},
                                    int32_t{0}, static_cast<const int64_t*>(nullptr), int64_t{0}, int32_t{29},
                                    static_cast<const int64_t*>(shape), uint64_t{1}, memory.data()));
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), a.get(), one.get(), a.get()), kInvalid);
    expect_message({"format 29"});
}

TEST_F(Prepare, SecondPhaseWithoutExecutorRepeatsTheFailureOnAnyThread) {
    const Tensor a = tensor(memory.data(), {4});
    const Tensor b = tensor(memory.data(), {3});
    const Scalar one = scalar(1);
    ASSERT_EQ(add(a.get(), b.get(), one.get(), a.get()), kInvalid);
    const std::string first = message();
    std::thread([&] {
        EXPECT_EQ(call("aclnnAdd", static_cast<void*>(nullptr), uint64_t{0},
                       static_cast<aclOpExecutor*>(nullptr), static_cast<void*>(nullptr)),
                  kInvalid);
        expect_message({first.c_str(), "without an executor"});
    }).join();
}

TEST_F(Prepare, SecondPhaseWithoutExecutorDoesNotRepeatAFailureBeforeASuccess) {
    const Tensor a = tensor(memory.data(), {4});
    const Tensor b = tensor(memory.data(), {3});
    const Scalar one = scalar(1);
    const auto launch = [](aclOpExecutor* what) {
        return call("aclnnAdd", static_cast<void*>(nullptr), uint64_t{0}, what, static_cast<void*>(nullptr));
    };
    ASSERT_EQ(add(a.get(), b.get(), one.get(), a.get()), kInvalid);
    ASSERT_EQ(add(a.get(), a.get(), one.get(), a.get()), 0) << message();
    ASSERT_EQ(launch(executor), 0);
    EXPECT_EQ(launch(nullptr), kInnerNullPointer);
    expect_message({"aclnnAdd: called without an executor", "aclnnAddGetWorkspaceSize"});
    ASSERT_EQ(synchronize(), 0);
}

TEST_F(Prepare, AnOutputWithElementsInOnePlaceIsRefused) {
    const Tensor a = tensor(memory.data(), {4});
    const Tensor expanded = tensor(memory.data(), {4}, OPWELD_FLOAT32, {0});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(a.get(), expanded.get(), one.get(), a.get()), 0) << message();
    EXPECT_EQ(add(a.get(), a.get(), one.get(), expanded.get()), kInvalid);
    expect_message({"'out'", "share one place"});
}

TEST_F(Prepare, OneValueMayFillElementsInOnePlace) {
    const Tensor expanded = tensor(memory.data(), {4}, OPWELD_FLOAT32, {0});
    const Scalar seven = scalar(7);
    ASSERT_EQ(call("aclnnInplaceFillScalarGetWorkspaceSize", expanded.get(),
                   static_cast<const aclScalar*>(seven.get()), &workspace, &executor),
              0)
        << message();
    ASSERT_EQ(call("aclnnInplaceFillScalar", static_cast<void*>(nullptr), uint64_t{0}, executor,
                   static_cast<void*>(nullptr)),
              0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(memory.read()[0], 7);
    EXPECT_EQ(memory.read()[1], 0);
}

TEST_F(Prepare, ADtypeArgumentWithoutKernelsIsRefused) {
    const Tensor a = tensor(memory.data(), {4});
    for (const int32_t dtype : {-1, 5, 29, 64, 1 << 20}) {
        EXPECT_EQ(call("aclnnCastGetWorkspaceSize", static_cast<const aclTensor*>(a.get()), dtype, a.get(),
                       &workspace, &executor),
                  kInvalid);
        expect_message({"aclnnCast", "'dtype'", "no aclDataType"});
    }
}

TEST_F(Prepare, WhatIsNoHandleIsRefused) {
    const Tensor a = tensor(memory.data(), {4});
    const Scalar one = scalar(1);
    EXPECT_EQ(add(reinterpret_cast<aclTensor*>(uintptr_t{8}), a.get(), one.get(), a.get()), kInvalid);
    expect_message({"aclnnAdd", "'self'", "0x8", "aclTensor"});
    EXPECT_EQ(add(a.get(), reinterpret_cast<aclTensor*>(one.get()), one.get(), a.get()), kInvalid);
    expect_message({"'other'", "is an aclScalar, expected an aclTensor"});
    int64_t numbers[] = {1, 2, 3, 4};
    EXPECT_EQ(add(a.get(), reinterpret_cast<aclTensor*>(numbers), one.get(), a.get()), kInvalid);
    expect_message({"'other'", "no object of the aclnn interface"});
}

TEST_F(Prepare, WhatIsNoExecutorIsRefused) {
    const Tensor a = tensor(memory.data(), {4});
    EXPECT_EQ(call("aclnnAdd", static_cast<void*>(nullptr), uint64_t{0},
                   reinterpret_cast<aclOpExecutor*>(a.get()), static_cast<void*>(nullptr)),
              kInvalid);
    expect_message({"aclnnAdd", "'executor'", "is an aclTensor, expected an aclOpExecutor"});
}

TEST_F(Prepare, SecondPhaseWithoutAnyFailureSaysWhatIsMissing) {
    EXPECT_NE(call("aclnnAtanh", static_cast<void*>(nullptr), uint64_t{0},
                   static_cast<aclOpExecutor*>(nullptr), static_cast<void*>(nullptr)),
              0);
    expect_message({"aclnnAtanh", "executor", "aclnnAtanhGetWorkspaceSize"});
}

TEST_F(Prepare, WhatIsNotImplementedSaysSoByName) {
    EXPECT_EQ(call("aclnnMoeGatingTopKGetWorkspaceSize"), kKernelMissing);
    expect_message({"aclnnMoeGatingTopK", "not implement", "npu/aclnn/README.md"});
    EXPECT_EQ(call("aclnnMoeGatingTopK"), kKernelMissing);
    EXPECT_EQ(message().find("README"), std::string::npos) << "what to do is said once";
    EXPECT_FALSE(has_symbol("aclnnMatmulAllReduceV3"))
        << "torch_npu would take it instead of the older function";
}

TEST_F(Prepare, TheTableIsDescribed) {
    const std::string text = call<const char*>("opweldDescribeFunctions");
    EXPECT_NE(text.find(R"("name": "aclnnInplaceCopy")"), std::string::npos);
    EXPECT_NE(text.find(R"("name": "cube_math_type", "kind": "integer", "type": "int8_t")"),
              std::string::npos);
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
