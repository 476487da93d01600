// What the second phase does with executors, and what kernels get.
#include <gtest/gtest.h>

#include <numeric>

#include "library.h"

namespace opweld::npu::aclnn::test {
namespace {

aclOpExecutor* prepare_add(const Tensor& self, const Tensor& other, const Tensor& out) {
    const Scalar one = scalar(1);
    uint64_t workspace = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(call("aclnnAddGetWorkspaceSize", static_cast<const aclTensor*>(self.get()),
                   static_cast<const aclTensor*>(other.get()), static_cast<const aclScalar*>(one.get()),
                   out.get(), &workspace, &executor),
              0)
        << message();
    EXPECT_EQ(workspace, 0U);
    return executor;
}

int launch(const char* name, aclOpExecutor* executor) {
    return call(name, static_cast<void*>(nullptr), uint64_t{0}, executor, static_cast<void*>(nullptr));
}

TEST(Executor, OutlivesItsArguments) {
    const Device<float> a({1, 2, 3, 4});
    const Device<float> out(4);
    aclOpExecutor* executor = nullptr;
    {
        const Tensor x = tensor(a.data(), {4});
        const Tensor y = tensor(out.data(), {4});
        executor = prepare_add(x, x, y);
    }
    ASSERT_EQ(launch("aclnnAdd", executor), 0) << message();
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(out.read(), (std::vector<float>{2, 4, 6, 8}));
}

TEST(Executor, RepeatableRunsAgain) {
    const Device<float> a({1, 2, 3, 4});
    const Device<float> sum(4);
    const Tensor x = tensor(a.data(), {4});
    const Tensor y = tensor(sum.data(), {4});
    aclOpExecutor* executor = prepare_add(y, x, y);
    ASSERT_EQ(call("aclSetAclOpExecutorRepeatable", executor), 0);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(launch("aclnnAdd", executor), 0) << message();
    }
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(call("aclDestroyAclOpExecutor", executor), 0);
    EXPECT_EQ(sum.read(), (std::vector<float>{3, 6, 9, 12}));
}

TEST(Executor, StridesAndOffsetsAreHonoured) {
    std::vector<float> values(12);
    std::iota(values.begin(), values.end(), 0.0F);
    const Device<float> a(values);
    const Device<float> out(12);
    const Tensor transposed = tensor(a.data(), {3, 2}, OPWELD_FLOAT32, {1, 4}, 1);
    const Tensor expanded = tensor(a.data(), {3, 2}, OPWELD_FLOAT32, {0, 0}, 10);
    const Tensor written = tensor(out.data(), {3, 2}, OPWELD_FLOAT32, {4, 2}, 0);
    ASSERT_EQ(launch("aclnnAdd", prepare_add(transposed, expanded, written)), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(out.read(), (std::vector<float>{11, 0, 15, 0, 12, 0, 16, 0, 13, 0, 17, 0}));
}

TEST(Executor, OverlappingMemoryGivesWhatSeparateMemoryGives) {
    const Device<float> a({1, 2, 3, 4, 5});
    const Tensor head = tensor(a.data(), {4});
    const Tensor tail = tensor(a.data(), {4}, OPWELD_FLOAT32, {1}, 1);
    ASSERT_EQ(launch("aclnnAdd", prepare_add(tail, head, tail)), 0);
    ASSERT_EQ(synchronize(), 0);
    EXPECT_EQ(a.read(), (std::vector<float>{1, 3, 5, 7, 9}));
}

TEST(Executor, AFailingKernelIsReportedAtTheSynchronisation) {
    const Device<float> scores({0, 0, 0, 0});
    const Device<float> weight({1, 1});
    const Device<float> loss(2);
    const Device<uint8_t> targets(std::vector<uint8_t>{9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    const Tensor self = tensor(scores.data(), {2, 2});
    const Tensor target = tensor(targets.data(), {2}, OPWELD_INT64);
    const Tensor weights = tensor(weight.data(), {2});
    const Tensor out = tensor(loss.data(), {});
    const Tensor total = tensor(loss.data(), {}, OPWELD_FLOAT32, {}, 1);
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(call("aclnnNLLLossGetWorkspaceSize", static_cast<const aclTensor*>(self.get()),
                   static_cast<const aclTensor*>(target.get()), static_cast<const aclTensor*>(weights.get()),
                   int64_t{1}, int64_t{-100}, out.get(), total.get(), &workspace, &executor),
              0)
        << message();
    ASSERT_EQ(launch("aclnnNLLLoss", executor), 0);
    EXPECT_NE(synchronize(), 0);
    const std::string text = message();
    EXPECT_NE(text.find("aclnnNLLLoss"), std::string::npos) << text;
    EXPECT_NE(text.find("Target 9 is out of bounds"), std::string::npos) << text;
}

TEST(Random, TheSameSeedAndOffsetGiveTheSameNumbers) {
    const auto numbers = [](int64_t seed, int64_t offset, const std::vector<int64_t>& strides) {
        const Device<float> memory(64);
        const Tensor self = tensor(memory.data(), {4, 4}, OPWELD_FLOAT32, strides);
        uint64_t workspace = 0;
        aclOpExecutor* executor = nullptr;
        EXPECT_EQ(call("aclnnInplaceNormalGetWorkspaceSize", self.get(), 0.0F, 1.0F, seed, offset, &workspace,
                       &executor),
                  0)
            << message();
        EXPECT_EQ(launch("aclnnInplaceNormal", executor), 0);
        EXPECT_EQ(synchronize(), 0);
        const std::vector<float> all = memory.read();
        std::vector<float> result;
        for (int64_t i = 0; i < 4; ++i) {
            for (int64_t j = 0; j < 4; ++j) {
                result.push_back(
                    all[static_cast<size_t>(strides.empty() ? i * 4 + j : i * strides[0] + j * strides[1])]);
            }
        }
        return result;
    };
    const auto first = numbers(7, 12, {});
    EXPECT_EQ(first, numbers(7, 12, {}));
    EXPECT_EQ(first, numbers(7, 12, {1, 10})) << "numbers depend on the place, not on the strides";
    EXPECT_NE(first, numbers(8, 12, {}));
    EXPECT_NE(first, numbers(7, 16, {}));
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
