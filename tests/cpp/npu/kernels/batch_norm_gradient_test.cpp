#include "npu/kernels/nn/batch_norm_gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/var.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

namespace opweld::npu::kernels {
namespace {

constexpr double kEpsilon = 1e-5;

std::vector<int64_t> all_but_channels(const at::Tensor& x) {
    std::vector<int64_t> axes = {0};
    for (int64_t axis = 2; axis < x.dim(); ++axis) {
        axes.push_back(axis);
    }
    return axes;
}

class BatchNormGradient : public testing::TestWithParam<std::tuple<std::vector<int64_t>, at::ScalarType>> {};

TEST_P(BatchNormGradient, IsThatOfDoublePrecision) {
    const auto& [sizes, dtype] = GetParam();
    const at::Tensor x = (at::randn(sizes) * 2 + 100).to(dtype);
    const at::Tensor grads = at::randn(sizes).to(dtype);
    const at::Tensor exact = x.to(at::kDouble);
    const auto axes = all_but_channels(x);
    const at::Tensor mean = exact.mean(axes);
    const at::Tensor rstd = at::rsqrt(at::var(exact, axes, false) + kEpsilon);
    const at::Tensor scale = at::randn({x.size(1)});
    const auto [dx, dscale, doffset] =
        at::native_batch_norm_backward(grads.to(at::kDouble), exact, scale.to(at::kDouble), {}, {}, mean,
                                       rstd, true, kEpsilon, {true, true, true});

    const at::Tensor narrow_mean = mean.to(at::kFloat);
    const at::Tensor narrow_rstd = rstd.to(at::kFloat);
    ASSERT_TRUE(suits_batch_norm_gradient(grads, x, narrow_mean, narrow_rstd));
    at::Tensor diff_scale = at::empty_like(scale);
    at::Tensor diff_offset = at::empty_like(scale);
    batch_norm_parameter_gradients(grads, x, narrow_mean, narrow_rstd, diff_scale, diff_offset);
    at::Tensor y = at::empty_like(grads);
    batch_norm_input_gradient(grads, x, diff_scale, diff_offset, scale, narrow_mean, narrow_rstd, y);

    const double tolerance = dtype == at::kFloat ? 2e-3 : 4e-2;
    EXPECT_TRUE(at::allclose(diff_scale.to(at::kDouble), dscale, 1e-4, tolerance));
    EXPECT_TRUE(at::allclose(diff_offset.to(at::kDouble), doffset, 1e-4, 1e-4));
    EXPECT_TRUE(at::allclose(y.to(at::kDouble), dx, 1e-2, tolerance));
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, BatchNormGradient,
    testing::Combine(testing::Values(std::vector<int64_t>{6, 5}, std::vector<int64_t>{3, 4, 7},
                                     std::vector<int64_t>{8, 3, 16, 16}, std::vector<int64_t>{2, 64, 5, 3, 7},
                                     std::vector<int64_t>{2, 3, 191, 37}),
                     testing::Values(at::kFloat, at::kBFloat16)));

TEST(BatchNormGradientSuits, OnlyDenseTensorsOfItsDtypes) {
    const at::Tensor x = at::randn({2, 3, 4, 4});
    const at::Tensor statistic = at::randn({3});
    EXPECT_TRUE(suits_batch_norm_gradient(x, x, statistic, statistic));
    EXPECT_FALSE(suits_batch_norm_gradient(x.transpose(2, 3), x, statistic, statistic));
    EXPECT_FALSE(suits_batch_norm_gradient(x.to(at::kDouble), x.to(at::kDouble), statistic, statistic));
    EXPECT_FALSE(suits_batch_norm_gradient(x.to(at::kBFloat16), x, statistic, statistic));
    EXPECT_FALSE(suits_batch_norm_gradient(x, x, at::randn({4}), statistic));
    EXPECT_FALSE(suits_batch_norm_gradient(x.narrow(0, 0, 0), x.narrow(0, 0, 0), statistic, statistic));
}

TEST(BatchNormGradientValues, NotANumberStaysThat) {
    const at::Tensor x = at::zeros({1, 1, 4}, at::kBFloat16);
    at::Tensor grads = at::zeros({1, 1, 4}, at::kBFloat16);
    grads[0][0][2] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor one = at::ones({1});
    at::Tensor y = at::empty_like(grads);
    batch_norm_input_gradient(grads, x, one, one, one, one, one, y);
    EXPECT_TRUE(y.isnan()[0][0][2].item<bool>());
    EXPECT_FALSE(y.isnan()[0][0][1].item<bool>());
}

}  // namespace
}  // namespace opweld::npu::kernels
