#include "npu/kernels/nn/filter_gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace opweld::npu::kernels {
namespace {

struct Case {
    std::string name;
    std::vector<int64_t> input;
    std::vector<int64_t> weight;
    std::vector<int64_t> stride = {1};
    std::vector<int64_t> padding = {0};
    std::vector<int64_t> dilation = {1};
};

Convolution convolution_of(const Case& of, int64_t groups = 1, bool transposed = false) {
    static constexpr int64_t kNone = 0;
    return {.stride = of.stride,
            .padding = of.padding,
            .dilation = of.dilation,
            .transposed = transposed,
            .output_padding = kNone,
            .groups = groups,
            .cube_math_type = 0};
}

int64_t output_size(const Case& of, size_t dim) {
    const auto one = [&](const std::vector<int64_t>& numbers) {
        return numbers.size() == 1 ? numbers[0] : numbers[dim];
    };
    const int64_t window = one(of.dilation) * (of.weight[dim + 2] - 1) + 1;
    return (of.input[dim + 2] + 2 * one(of.padding) - window) / one(of.stride) + 1;
}

at::Tensor gradient_of_output(const Case& of) {
    return at::randn({of.input[0], of.weight[0], output_size(of, 0), output_size(of, 1)});
}

class FilterProduct : public testing::TestWithParam<std::tuple<Case, at::ScalarType>> {};

TEST_P(FilterProduct, IsTheGradientInDoublePrecision) {
    const auto& [what, dtype] = GetParam();
    const at::Tensor x = at::randn(what.input).to(dtype);
    const at::Tensor grads = gradient_of_output(what).to(dtype);
    at::Tensor y = at::empty(what.weight, x.options());
    filter_product(grads, x, convolution_of(what), y);

    const at::Tensor weight = at::randn(what.weight, at::kDouble);
    const at::Tensor exact = std::get<1>(at::convolution_backward(
        grads.to(at::kDouble), x.to(at::kDouble), weight, at::OptionalIntArrayRef(), what.stride,
        what.padding, what.dilation, false, {0, 0}, 1, {false, true, false}));
    const double tolerance = dtype == at::kBFloat16 ? 2e-2 : 1e-5;
    EXPECT_TRUE(at::allclose(y.to(at::kDouble), exact, tolerance, 5 * tolerance));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FilterProduct,
    testing::Combine(
        testing::Values(
            Case{.name = "Padded", .input = {2, 3, 4, 5}, .weight = {40, 3, 3, 3}, .padding = {1}},
            Case{.name = "OnePixel", .input = {3, 4, 3, 2}, .weight = {8, 4, 3, 2}},
            Case{.name = "Strided", .input = {1, 2, 7, 6}, .weight = {16, 2, 3, 2}, .stride = {2, 3}},
            Case{.name = "MorePaddingThanInput",
                 .input = {1, 1, 1, 2},
                 .weight = {64, 1, 2, 3},
                 .padding = {3, 2}},
            Case{.name = "Dilated",
                 .input = {2, 3, 8, 9},
                 .weight = {64, 3, 2, 3},
                 .stride = {2, 1},
                 .padding = {1, 0},
                 .dilation = {3, 2}},
            Case{.name = "PointWise", .input = {4, 70, 2, 2}, .weight = {16, 70, 1, 1}, .stride = {2}},
            Case{.name = "ManyChannels", .input = {2, 130, 3, 3}, .weight = {33, 130, 3, 3}, .padding = {1}}),
        testing::Values(at::kFloat, at::kDouble, at::kBFloat16)),
    [](const auto& info) { return std::get<0>(info.param).name + c10::toString(std::get<1>(info.param)); });

TEST(FilterProduct, ReadsTensorsThatAreNotContiguous) {
    const Case what{.name = "", .input = {2, 3, 4, 5}, .weight = {40, 3, 3, 3}, .padding = {1}};
    const at::Tensor x = at::randn(what.input);
    const at::Tensor grads = gradient_of_output(what);
    at::Tensor expected = at::empty(what.weight);
    filter_product(grads, x, convolution_of(what), expected);
    at::Tensor y = at::empty(what.weight);
    filter_product(grads.contiguous(at::MemoryFormat::ChannelsLast),
                   x.transpose(2, 3).contiguous().transpose(2, 3), convolution_of(what), y);
    EXPECT_TRUE(y.equal(expected));
}

TEST(FilterProduct, SuitsFewPixelsOfOneGroup) {
    const Case what{.name = "", .input = {2, 4, 4, 4}, .weight = {32, 4, 3, 3}, .padding = {1}};
    const at::Tensor x = at::randn(what.input);
    const at::Tensor weight = at::randn(what.weight);
    const at::Tensor grads = gradient_of_output(what);
    EXPECT_TRUE(suits_filter_product(grads, x, weight, convolution_of(what)));
    EXPECT_FALSE(suits_filter_product(grads, x, weight, convolution_of(what, 2)));
    EXPECT_FALSE(suits_filter_product(grads, x, weight, convolution_of(what, 1, true)));
    EXPECT_FALSE(suits_filter_product(grads, x, at::randn({31, 4, 3, 3}), convolution_of(what)));
    EXPECT_FALSE(
        suits_filter_product(grads.narrow(0, 0, 0), x.narrow(0, 0, 0), weight, convolution_of(what)));
    EXPECT_FALSE(suits_filter_product(grads[0], x[0], weight[0], convolution_of(what)));
}

}  // namespace
}  // namespace opweld::npu::kernels
