// `backward` in its forms, and what must fit together.
#include "spec/expression.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

constexpr std::string_view kBackward =
    "  - op: npu_scale_backward\n"
    "    input_desc: [{name: grad_y}, {name: x, param_type: optional}]\n"
    "    attr: [{name: alpha, type: \"float?\"}]\n"
    "    output_desc: [{name: grad_x, type: grad_y.dtype, shape: grad_y.shape}]\n"
    "    backward: none\n";

std::string forward(std::string_view backward) {
    return "  - op: npu_scale\n"
           "    input_desc: [{name: x, type: [float32, float16]}]\n"
           "    attr: [{name: alpha, type: float}]\n"
           "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n"
           "    backward: " +
           std::string(backward) + "\n" + std::string(kBackward);
}

TEST(Backward, TensorsAndAttributesPassToOptionalOnes) {
    const Package package = good(forward("{op: npu_scale_backward, args: [grad_y, x, alpha], gives: [x]}"));
    const auto& call = std::get<BackwardOp>(package.ops[0].backward);
    EXPECT_EQ(call.args.size(), 3U);
}

TEST(Backward, TrailingArgumentsWithDefaultsMayBeLeftOut) {
    const Package package = good(forward("{op: npu_scale_backward, args: [grad_y], gives: [x]}"));
    EXPECT_EQ(std::get<BackwardOp>(package.ops[0].backward).args.size(), 1U);
}

TEST(Backward, OutputsCanBeSaved) {
    const Package package = good(forward("{op: npu_scale_backward, args: [grad_y, y], gives: [x]}"));
    EXPECT_EQ(std::get<BackwardOp>(package.ops[0].backward).args[1].from, BackwardArg::From::Output);
}

TEST(Backward, FormulasSeeGradientsAndOutputs) {
    const Package package = good(forward("{x: \"grad_y * alpha + grad * y\"}"));
    const auto& formulas = std::get<BackwardFormulas>(package.ops[0].backward);
    ASSERT_EQ(formulas.entries.size(), 1U);
    EXPECT_EQ(formulas.entries[0].input, 0U);
    EXPECT_TRUE(formulas.entries[0].formula.checked);
}

TEST(Backward, NothingSaidIsNone) {
    const Package package = good(
        "  - op: npu_one\n    input_desc: [{name: x}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n");
    EXPECT_FALSE(std::get<BackwardNone>(package.ops[0].backward).stated);
}

TEST(Backward, ListsAndTensorsDoNotMix) {
    EXPECT_EQ(errors("  - op: npu_cat\n"
                     "    input_desc: [{name: xs, param_type: dynamic}]\n"
                     "    output_desc: [{name: y, type: float32, shape: \"[1]\"}]\n"
                     "    backward: {op: npu_cat_backward, args: [grad_y, xs], gives: [xs]}\n"
                     "  - op: npu_cat_backward\n"
                     "    input_desc: [{name: grad_y}, {name: x}]\n"
                     "    output_desc: [{name: grad_x, type: float32, shape: \"[1]\"}]\n"
                     "    backward: none\n"),
              (std::vector<std::string>{"OW403", "OW404"}));
}

TEST(Backward, FaultyOperatorIsNotHeldAgainstItsCaller) {
    EXPECT_EQ(errors("  - op: npu_one\n"
                     "    input_desc: [{name: x}]\n"
                     "    output_desc: [{name: y, type: float32, shape: x.shape}]\n"
                     "    backward: {op: npu_one_backward, args: [grad_y], gives: [x]}\n"
                     "  - op: npu_one_backward\n"
                     "    input_desc: [{name: grad_y, type: flaot}, {name: other}]\n"
                     "    output_desc: [{name: grad_x, type: float32, shape: grad_y.shape}]\n"
                     "    backward: none\n"),
              std::vector<std::string>{"OW206"});
}

}  // namespace
}  // namespace opweld::spec::test
