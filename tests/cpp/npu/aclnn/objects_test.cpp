#include <gtest/gtest.h>

#include "library.h"

namespace opweld::npu::aclnn::test {
namespace {

constexpr int kNullPointer = 161001;
constexpr int kInvalid = 161002;

TEST(Tensor, KeepsItsDescription) {
    const Tensor made = tensor(nullptr, {2, 3}, OPWELD_FLOAT16, {3, 1}, 5);
    int64_t* numbers = nullptr;
    uint64_t count = 0;
    ASSERT_EQ(call("aclGetViewShape", static_cast<const aclTensor*>(made.get()), &numbers, &count), 0);
    EXPECT_EQ(std::vector<int64_t>(numbers, numbers + count), (std::vector<int64_t>{2, 3}));
    delete[] numbers;
    ASSERT_EQ(call("aclGetViewStrides", static_cast<const aclTensor*>(made.get()), &numbers, &count), 0);
    EXPECT_EQ(std::vector<int64_t>(numbers, numbers + count), (std::vector<int64_t>{3, 1}));
    delete[] numbers;
    ASSERT_EQ(call("aclGetStorageShape", static_cast<const aclTensor*>(made.get()), &numbers, &count), 0);
    EXPECT_EQ(std::vector<int64_t>(numbers, numbers + count), (std::vector<int64_t>{1 << 10}));
    delete[] numbers;
    int64_t offset = 0;
    EXPECT_EQ(call("aclGetViewOffset", static_cast<const aclTensor*>(made.get()), &offset), 0);
    EXPECT_EQ(offset, 5);
    int32_t number = -1;
    EXPECT_EQ(call("aclGetDataType", static_cast<const aclTensor*>(made.get()), &number), 0);
    EXPECT_EQ(number, OPWELD_FLOAT16);
    EXPECT_EQ(call("aclGetFormat", static_cast<const aclTensor*>(made.get()), &number), 0);
    EXPECT_EQ(number, 2);
}

TEST(Tensor, WithoutStridesIsContiguous) {
    const Tensor made = tensor(nullptr, {2, 3, 4});
    int64_t* strides = nullptr;
    uint64_t count = 0;
    ASSERT_EQ(call("aclGetViewStrides", static_cast<const aclTensor*>(made.get()), &strides, &count), 0);
    EXPECT_EQ(std::vector<int64_t>(strides, strides + count), (std::vector<int64_t>{12, 4, 1}));
    delete[] strides;
}

TEST(Tensor, ManyDimensionsAreKept) {
    const std::vector<int64_t> shape(20, 1);
    const Tensor made = tensor(nullptr, shape);
    int64_t* dims = nullptr;
    uint64_t count = 0;
    ASSERT_EQ(call("aclGetViewShape", static_cast<const aclTensor*>(made.get()), &dims, &count), 0);
    EXPECT_EQ(std::vector<int64_t>(dims, dims + count), shape);
    delete[] dims;
}

TEST(Tensor, RefusesWhatIsNoTensor) {
    EXPECT_EQ(tensor(nullptr, {-1}), nullptr);
    EXPECT_NE(message().find("negative"), std::string::npos);
    EXPECT_EQ(tensor(nullptr, {1}, 99), nullptr);
    EXPECT_NE(message().find("99"), std::string::npos);
    int64_t* dims = nullptr;
    uint64_t count = 0;
    EXPECT_EQ(call("aclGetViewShape", static_cast<const aclTensor*>(nullptr), &dims, &count), kNullPointer);
}

TEST(Tensor, RefusesWhatNoAddressReaches) {
    constexpr int64_t kHuge = int64_t{1} << 62;
    EXPECT_EQ(tensor(nullptr, {4, kHuge}, OPWELD_FLOAT32, {1, 8}), nullptr);
    EXPECT_NE(message().find("beyond any address"), std::string::npos);
    EXPECT_EQ(tensor(nullptr, {kHuge, kHuge, 4}), nullptr);
    EXPECT_EQ(tensor(nullptr, {3}, OPWELD_FLOAT32, {-1}), nullptr);
    EXPECT_NE(message().find("stride is negative"), std::string::npos);
    EXPECT_NE(tensor(nullptr, {0, kHuge}, OPWELD_FLOAT32, {1, 8}), nullptr);
}

TEST(Object, AnotherTypeIsRefused) {
    const Tensor made = tensor(nullptr, {1});
    EXPECT_EQ(call("aclDestroyScalar", reinterpret_cast<const aclScalar*>(made.get())), kInvalid);
    EXPECT_NE(message().find("is an aclTensor, expected an aclScalar"), std::string::npos);
    uint64_t size = 0;
    EXPECT_EQ(call("aclGetIntArraySize", reinterpret_cast<const aclIntArray*>(made.get()), &size), kInvalid);
    const aclTensor* items[] = {made.get(), reinterpret_cast<const aclTensor*>(uintptr_t{16})};
    EXPECT_EQ(
        call<aclTensorList*>("aclCreateTensorList", static_cast<const aclTensor* const*>(items), uint64_t{2}),
        nullptr);
}

TEST(Array, KeepsItsValues) {
    const std::vector<int64_t> values{4, 5, 6};
    auto* array = call<aclIntArray*>("aclCreateIntArray", values.data(), uint64_t{3});
    uint64_t size = 0;
    EXPECT_EQ(call("aclGetIntArraySize", static_cast<const aclIntArray*>(array), &size), 0);
    EXPECT_EQ(size, 3U);
    EXPECT_EQ(call("aclDestroyIntArray", static_cast<const aclIntArray*>(array)), 0);
    const bool flags[] = {true, false};
    auto* bools = call<aclBoolArray*>("aclCreateBoolArray", static_cast<const bool*>(flags), uint64_t{2});
    EXPECT_EQ(call("aclGetBoolArraySize", static_cast<const aclBoolArray*>(bools), &size), 0);
    EXPECT_EQ(size, 2U);
    EXPECT_EQ(call("aclDestroyBoolArray", static_cast<const aclBoolArray*>(bools)), 0);
}

TEST(Array, NullWithASizeIsRefused) {
    EXPECT_EQ(call<aclIntArray*>("aclCreateIntArray", static_cast<const int64_t*>(nullptr), uint64_t{2}),
              nullptr);
    EXPECT_NE(message().find("null"), std::string::npos);
    auto* empty = call<aclIntArray*>("aclCreateIntArray", static_cast<const int64_t*>(nullptr), uint64_t{0});
    EXPECT_NE(empty, nullptr);
    call("aclDestroyIntArray", static_cast<const aclIntArray*>(empty));
}

TEST(List, OwnsItsTensors) {
    const aclTensor* items[] = {tensor(nullptr, {1}).release(), tensor(nullptr, {2}).release()};
    auto* list =
        call<aclTensorList*>("aclCreateTensorList", static_cast<const aclTensor* const*>(items), uint64_t{2});
    uint64_t size = 0;
    EXPECT_EQ(call("aclGetTensorListSize", static_cast<const aclTensorList*>(list), &size), 0);
    EXPECT_EQ(size, 2U);
    EXPECT_EQ(call("aclDestroyTensorList", static_cast<const aclTensorList*>(list)), 0);
}

TEST(Scalar, RefusesADtypeWithoutNumbers) {
    double value = 1;
    EXPECT_EQ(call<aclScalar*>("aclCreateScalar", static_cast<void*>(&value), int32_t{99}), nullptr);
    EXPECT_EQ(call<aclScalar*>("aclCreateScalar", static_cast<void*>(nullptr), int32_t{0}), nullptr);
}

TEST(Library, ExportsWhatTorchNpuLooksUp) {
    for (const char* name :
         {"InitHugeMemThreadLocal", "UnInitHugeMemThreadLocal", "ReleaseHugeMem", "aclDestroyAclOpExecutor",
          "aclSetAclOpExecutorRepeatable", "aclCreateScalarList"}) {
        EXPECT_TRUE(has_symbol(name)) << name;
    }
    // Their presence would switch on torch_npu's executor cache.
    for (const char* name : {"CanUsePTACache", "PTAGetExecCache", "PTAFindExecCache", "SetPTAHashKey"}) {
        EXPECT_FALSE(has_symbol(name)) << name;
    }
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
