#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "npu/aclnn/call/check_convolution.h"
#include "npu/aclnn/call/check_embedding.h"
#include "npu/aclnn/call/check_indexing.h"
#include "npu/aclnn/call/check_normalization.h"
#include "npu/aclnn/call/check_pooling.h"
#include "npu/aclnn/call/check_reduction.h"
#include "tests/cpp/npu/kernels/checks.h"

namespace opweld::npu::aclnn::test {
namespace {

using ::testing::HasSubstr;
using Shape = std::vector<int64_t>;

constexpr int64_t kOne[] = {1};
constexpr int64_t kZero[] = {0};
constexpr int64_t kTwo[] = {2};
constexpr int64_t kThree[] = {3};

check::ConvolutionArguments plain() { return {kOne, kZero, kOne, false, kZero, 1}; }

std::string convolve(const Shape& input, const Shape& weight, const check::ConvolutionArguments& arguments,
                     const Shape& output) {
    Operands make;
    const Operand x = make("input", input);
    const Operand w = make("weight", weight);
    const Operand y = make("output", output);
    return refusal([&] { check::convolution(x, w, arguments, y); });
}

TEST(ConvolutionCheck, ComputesTheOutput) {
    EXPECT_EQ(convolve({2, 3, 8}, {5, 3, 3}, plain(), {2, 5, 6}), "");
    auto a = plain();
    a.stride = kTwo;
    a.padding = kOne;
    EXPECT_EQ(convolve({2, 3, 8, 9}, {5, 3, 3, 3}, a, {2, 5, 4, 5}), "");
    a.transposed = true;
    a.output_padding = kOne;
    EXPECT_EQ(convolve({2, 3, 4, 5}, {3, 5, 3, 3}, a, {2, 5, 8, 10}), "");
    a = plain();
    a.dilation = kThree;
    a.groups = 2;
    EXPECT_EQ(convolve({1, 4, 9, 9, 9}, {6, 2, 3, 3, 3}, a, {1, 6, 3, 3, 3}), "");
}

TEST(ConvolutionCheck, TakesPaddingsOfBothEnds) {
    const int64_t pads[] = {1, 0, 2, 3};
    auto a = plain();
    a.padding = pads;
    EXPECT_EQ(convolve({2, 3, 8, 9}, {5, 3, 3, 3}, a, {2, 5, 7, 12}), "");
    a.transposed = true;
    EXPECT_THAT(convolve({2, 3, 4, 5}, {3, 5, 3, 3}, a, {2, 5, 5, 2}), HasSubstr("1 before and 0 after"));
    const int64_t negative[] = {1, -1, 0, 0};
    a = plain();
    a.padding = negative;
    EXPECT_THAT(convolve({2, 3, 8, 9}, {5, 3, 3, 3}, a, {2, 5, 6, 7}), HasSubstr("has -1"));
}

TEST(ConvolutionCheck, NamesWhatDoesNotFit) {
    EXPECT_THAT(convolve({2, 3, 8}, {5, 3, 3}, plain(), {2, 5, 8}), HasSubstr("output"));
    EXPECT_THAT(convolve({2, 4, 8}, {5, 3, 3}, plain(), {2, 5, 6}), HasSubstr("has 4 channels, expected 3"));
    EXPECT_THAT(convolve({2, 3, 8, 8}, {5, 3, 3}, plain(), {2, 5, 6}), HasSubstr("input"));
    EXPECT_THAT(convolve({2, 3, 2}, {5, 3, 3}, plain(), {2, 5, 0}), HasSubstr("extent of the kernel, 3"));
    auto a = plain();
    a.groups = 2;
    EXPECT_THAT(convolve({2, 6, 8}, {5, 3, 3}, a, {2, 5, 6}), HasSubstr("'groups' is 2"));
    a = plain();
    a.stride = kZero;
    EXPECT_THAT(convolve({2, 3, 8}, {5, 3, 3}, a, {2, 5, 6}),
                HasSubstr("'stride' has 0, expected at least 1"));
    const int64_t three[] = {1, 1, 1};
    a = plain();
    a.padding = three;
    EXPECT_THAT(convolve({2, 3, 8, 8}, {5, 3, 3, 3}, a, {2, 5, 6, 6}), HasSubstr("'padding' has 3 numbers"));
}

std::string pool(const Shape& input, const check::PoolingArguments& arguments, const Shape& output) {
    Operands make;
    const Operand x = make("self", input);
    const Operand y = make("out", output);
    return refusal([&] { check::pooled(x, arguments, y); });
}

TEST(PoolingCheck, ComputesTheOutput) {
    EXPECT_EQ(pool({2, 3, 8, 9}, {kTwo, {}, kZero, {}, false}, {2, 3, 4, 4}), "");
    EXPECT_EQ(pool({2, 3, 8, 9}, {kTwo, {}, kZero, {}, true}, {2, 3, 4, 5}), "");
    EXPECT_EQ(pool({3, 8, 9}, {kThree, kTwo, kOne, kOne, false}, {3, 4, 5}), "");
    // A window that would begin in the padding behind the input doesn't count.
    EXPECT_EQ(pool({1, 1, 5, 5}, {kTwo, kThree, kOne, kOne, true}, {1, 1, 2, 2}), "");
    EXPECT_EQ(pool({1, 1, 9, 9}, {kThree, kOne, kZero, kThree, false}, {1, 1, 3, 3}), "");
}

TEST(PoolingCheck, NamesWhatDoesNotFit) {
    EXPECT_THAT(pool({2, 3, 8, 8}, {kTwo, {}, kZero, {}, false}, {2, 3, 4, 5}), HasSubstr("out"));
    EXPECT_THAT(pool({2, 3, 8, 8}, {kTwo, {}, kTwo, {}, false}, {2, 3, 6, 6}), HasSubstr("at most half"));
    EXPECT_THAT(pool({2, 3, 2, 2}, {kThree, {}, kZero, {}, false}, {2, 3, 0, 0}),
                HasSubstr("spans 3 elements"));
    EXPECT_THAT(pool({8, 8}, {kTwo, {}, kZero, {}, false}, {4, 4}), HasSubstr("self"));
    EXPECT_THAT(pool({2, 3, 8, 8}, {kTwo, kZero, kZero, {}, false}, {2, 3, 4, 4}),
                HasSubstr("'stride' has 0"));
}

TEST(PoolingCheck, MaskHasRoom) {
    Operands make;
    const Operand out = make("out", {2, 3, 4, 4});
    EXPECT_EQ(refusal([&] { check::pooling_mask(out, make("indices", {192}, OPWELD_INT8)); }), "");
    EXPECT_THAT(refusal([&] { check::pooling_mask(out, make("indices", {191}, OPWELD_INT8)); }),
                HasSubstr("has 191 bytes"));
}

TEST(NormalizationCheck, Channels) {
    Operands make;
    const Operand x = make("input", {4, 3, 5});
    EXPECT_EQ(refusal([&] { check::channels(x, {make("weight", {3}), Operands::none("bias")}); }), "");
    EXPECT_THAT(refusal([&] { check::channels(x, {make("weight", {4})}); }), HasSubstr("weight"));
    EXPECT_THAT(refusal([&] {
                    check::running_statistics(false, Operands::none("runningMean"), make("runningVar", {3}));
                }),
                HasSubstr("'runningMean' is null, but evaluation needs it"));
}

TEST(NormalizationCheck, NormalizedShape) {
    Operands make;
    const Operand x = make("input", {4, 3, 5});
    EXPECT_EQ(refusal([&] { check::normalized(x, Shape{3, 5}, {make("weight", {3, 5})}); }), "");
    EXPECT_THAT(refusal([&] { check::normalized(x, Shape{4, 3}, {}); }),
                HasSubstr("the last sizes of the input"));
    EXPECT_THAT(refusal([&] { check::normalized(x, Shape{}, {}); }), HasSubstr("'normalizedShape' is []"));
    EXPECT_EQ(refusal([&] { check::layer_statistics(x, Shape{5}, {make("mean", {4, 3, 1})}); }), "");
    EXPECT_THAT(refusal([&] { check::layer_statistics(x, Shape{5}, {make("mean", {4})}); }),
                HasSubstr("'mean' has 4 elements, expected 12"));
}

TEST(NormalizationCheck, Groups) {
    Operands make;
    const Operand x = make("input", {4, 6, 5});
    const Operand weight = make("weight", {6});
    const Operand mean = make("mean", {4, 2});
    EXPECT_EQ(refusal([&] { check::grouped(x, {4, 6, 5, 2}, {weight}, {mean}); }), "");
    EXPECT_THAT(refusal([&] { check::grouped(x, {4, 6, 5, 4}, {weight}, {mean}); }),
                HasSubstr("'group' is 4"));
    EXPECT_THAT(refusal([&] { check::grouped(x, {4, 6, 4, 2}, {weight}, {mean}); }),
                HasSubstr("'input' has 120"));
}

TEST(GradientsCheck, MaskAndTensors) {
    Operands make;
    const Operand there = make("gradInput", {1});
    const Operand none = Operands::none("gradWeight");
    constexpr bool kFirst[] = {true, false, false};
    constexpr bool kSecond[] = {false, true, false};
    EXPECT_EQ(refusal([&] { check::three_gradients(kFirst, there, none, none); }), "");
    EXPECT_THAT(refusal([&] { check::three_gradients(kSecond, there, none, none); }),
                HasSubstr("'gradWeight' is null, but 'outputMask' asks for it"));
    EXPECT_THAT(refusal([&] { check::three_gradients({kFirst, 2}, there, none, none); }),
                HasSubstr("has 2 values"));
}

TEST(EmbeddingCheck, Rows) {
    Operands make;
    const Operand table = make("weight", {7, 4});
    const Operand indices = make("indices", {2, 3}, OPWELD_INT64);
    EXPECT_EQ(refusal([&] { check::rows_of(table, indices, make("out", {2, 3, 4})); }), "");
    EXPECT_THAT(refusal([&] { check::rows_of(table, indices, make("out", {2, 3, 7})); }), HasSubstr("out"));
    EXPECT_THAT(refusal([&] { check::row_count(8, table); }), HasSubstr("'numWeights' is 8"));
}

TEST(ReductionCheck, AnExtremeNeedsAnElement) {
    Operands make;
    const Operand empty = make("self", {0, 3});
    EXPECT_EQ(refusal([&] { check::has_extreme(empty, 1); }), "")
        << "three of no rows is nothing to choose from";
    EXPECT_EQ(refusal([&] { check::has_extreme(make("self", {})); }), "");
    EXPECT_THAT(refusal([&] { check::has_extreme(empty, 0); }),
                HasSubstr("nothing to choose from in dimension 0"));
    EXPECT_THAT(refusal([&] { check::has_extreme(empty, kZero); }), HasSubstr("[0, 3]"));
    EXPECT_NE(refusal([&] { check::has_extreme(empty); }), "");
}

TEST(ReductionCheck, OnlyExtremeNormsNeedElements) {
    Operands make;
    const auto norm = [&](double order) {
        const aclScalar scalar(&order, OPWELD_FLOAT64);
        return refusal([&] { check::has_norm(make("self", {0}), Number("ord", &scalar), {}); });
    };
    EXPECT_EQ(norm(2), "");
    EXPECT_EQ(norm(0), "");
    EXPECT_NE(norm(INFINITY), "");
    EXPECT_NE(norm(-1), "");
}

TEST(ReductionCheck, AHistogramHasItsEndsInOrder) {
    const auto between = [](double min, double max) {
        const aclScalar low(&min, OPWELD_FLOAT64);
        const aclScalar high(&max, OPWELD_FLOAT64);
        return refusal([&] { check::histogram_range(Number("min", &low), Number("max", &high)); });
    };
    EXPECT_EQ(between(0, 0), "");
    EXPECT_EQ(between(-1, 1), "");
    EXPECT_THAT(between(1, -1), HasSubstr("'min' and 'max' are 1 and -1"));
}

TEST(IndexingCheck, PlacesCountFromBothEnds) {
    Operands make;
    const Operand self = make("self", {3, 2});
    const auto placed = [&](int64_t place) {
        return refusal([&] { check::are_places(std::span(&place, 1), self, -2); });
    };
    EXPECT_EQ(placed(2), "");
    EXPECT_EQ(placed(-3), "");
    EXPECT_THAT(placed(3), HasSubstr("'index' has the value 3, which is outside [-3, 3)"));
    EXPECT_NE(placed(-4), "");
    EXPECT_EQ(refusal([&] { check::are_places(kZero, make("self", {}), 0); }), "");
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
