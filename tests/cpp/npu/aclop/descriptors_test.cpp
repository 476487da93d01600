#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "npu/aclop/acl_op.h"
#include "tests/cpp/npu/aclop/message.h"

namespace {

using Tensor = std::unique_ptr<aclTensorDesc, void (*)(aclTensorDesc*)>;

Tensor tensor(std::initializer_list<int64_t> shape) {
    return {aclCreateTensorDesc(0, static_cast<int>(shape.size()), std::data(shape), 2),
            [](aclTensorDesc* owned) { aclDestroyTensorDesc(owned); }};
}

TEST(TensorDescription, AnswersWhatItWasMadeWith) {
    const Tensor made = tensor({2, 3});
    EXPECT_EQ(aclGetTensorDescType(made.get()), 0);
    EXPECT_EQ(aclGetTensorDescFormat(made.get()), 2);
    ASSERT_EQ(aclGetTensorDescNumDims(made.get()), 2U);
    int64_t size = 0;
    EXPECT_EQ(aclGetTensorDescDimV2(made.get(), 1, &size), 0);
    EXPECT_EQ(size, 3);
}

TEST(TensorDescription, CanBeChanged) {
    const Tensor made = tensor({2, 3});
    const int64_t shape[] = {7};
    EXPECT_EQ(aclSetTensorShape(made.get(), 1, shape), 0);
    EXPECT_EQ(aclSetTensorFormat(made.get(), 29), 0);
    EXPECT_EQ(aclSetTensorPlaceMent(made.get(), 1), 0);
    int64_t size = 0;
    EXPECT_EQ(aclGetTensorDescDimV2(made.get(), 0, &size), 0);
    EXPECT_EQ(size, 7);
    EXPECT_EQ(aclGetTensorDescFormat(made.get()), 29);
}

TEST(TensorDescription, AScalarNeedsNoSizes) {
    aclTensorDesc* made = aclCreateTensorDesc(0, 0, nullptr, 2);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(aclGetTensorDescNumDims(made), 0U);
    aclDestroyTensorDesc(made);
}

TEST(TensorDescription, FaultsAreNamed) {
    EXPECT_EQ(aclCreateTensorDesc(0, 2, nullptr, 2), nullptr);
    EXPECT_TRUE(message_has("aclCreateTensorDesc: argument `dims` is a null pointer"));
    EXPECT_EQ(aclCreateTensorDesc(0, -1, nullptr, 2), nullptr);
    EXPECT_TRUE(message_has("the number of dimensions is -1"));
    const Tensor made = tensor({2, 3});
    int64_t size = 0;
    EXPECT_EQ(aclGetTensorDescDimV2(made.get(), 2, &size), 100000);
    EXPECT_TRUE(message_has("dimension 2 was asked of a tensor that has 2"));
    EXPECT_EQ(aclGetTensorDescType(nullptr), -1);
    EXPECT_TRUE(message_has("aclGetTensorDescType: argument `desc` is a null pointer"));
    aclSetTensorDescName(made.get(), nullptr);
    EXPECT_TRUE(message_has("aclSetTensorDescName: argument `name` is a null pointer"));
}

TEST(DataBuffer, IsMadeAndDestroyedOnce) {
    aclDataBuffer* made = aclCreateDataBuffer(nullptr, 0);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(aclDestroyDataBuffer(made), 0);
    EXPECT_EQ(aclDestroyDataBuffer(nullptr), 100000);
    EXPECT_TRUE(message_has("argument `dataBuffer` is a null pointer"));
}

}  // namespace
