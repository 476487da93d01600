#include "npu/ge/engine/inference.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npu/ge/engine/interpreter.h"
#include "tests/cpp/npu/ge/graph_builder.h"

namespace opweld::npu::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Form unknown(at::IntArrayRef sizes, at::ScalarType dtype = at::kFloat) {
    return {.meta = meta_tensor(dtype, sizes), .value = {}};
}

TEST(Inference, ShapesFollowTheInputs) {
    GraphBuilder graph;
    const Source x = graph.data({-1, 6});
    const Source w = graph.data({6, 5});
    const Source product = graph.node("MatMulV2", {{"x1", x}, {"x2", w}});
    const Program program = graph.finish({graph.node("Relu", {{"x", product}})});
    for (const int64_t rows : {1, 7}) {
        const std::vector<Form> inputs{unknown({rows, 6}), unknown({6, 5})};
        const Forms forms = infer(program, inputs);
        EXPECT_THAT(forms[3][0].meta.sizes(), ElementsAre(rows, 5));
        EXPECT_FALSE(forms[3][0].value.defined());
    }
}

TEST(Inference, NumbersThatDecideShapesAreComputed) {
    GraphBuilder graph;
    const Source x = graph.data({2, 3, 4});
    const Source shape = graph.node("Shape", {{"x", x}});
    const Source places = graph.constant(at::tensor({2, -2}, at::kLong));
    const Source picked = graph.node("Gather", {{"x", shape}, {"indices", places}});
    const Source ones = graph.data({1});
    const Program program = graph.finish({graph.node("BroadcastTo", {{"x", ones}, {"shape", picked}})});
    const std::vector<Form> inputs{unknown({2, 3, 4}), unknown({1})};
    const Forms forms = infer(program, inputs);
    EXPECT_TRUE(forms[3][0].value.defined());
    EXPECT_THAT(forms[5][0].meta.sizes(), ElementsAre(4, 3));
}

TEST(Inference, ViewsShareTheirStorage) {
    GraphBuilder graph;
    const Source x = graph.data({2, 6});
    const Source shape = graph.constant(at::tensor({3, 4}, at::kLong));
    const Source reshaped = graph.node("Reshape", {{"x", x}, {"shape", shape}});
    const Program program = graph.finish({graph.node("Relu", {{"x", reshaped}})});
    const std::vector<Form> inputs{unknown({2, 6})};
    const Forms forms = infer(program, inputs);
    EXPECT_TRUE(forms[2][0].meta.storage().is_alias_of(forms[0][0].meta.storage()));
    EXPECT_FALSE(forms[3][0].meta.storage().is_alias_of(forms[0][0].meta.storage()));
}

TEST(Inference, ShapesThatDependOnElementsAreUnknown) {
    GraphBuilder graph;
    const Source x = graph.data({4});
    const Source places = graph.node("Where", {{"x", x}});
    const Program program = graph.finish({places});
    const std::vector<Form> inputs{unknown({4})};
    try {
        infer(program, inputs);
        FAIL();
    } catch (const ValueUnknown& error) {
        EXPECT_THAT(error.what(), HasSubstr("Where"));
        EXPECT_EQ(error.source().node, x.node);
    }
    const std::vector<at::Tensor> outputs =
        interpret(program, std::vector<at::Tensor>{at::tensor({0.0F, 2.0F, 0.0F, 3.0F})});
    EXPECT_THAT(outputs[0].sizes(), ElementsAre(2, 1));
    EXPECT_EQ(outputs[0][1].item<int64_t>(), 3);
}

TEST(Inference, WhatDoesNotFitNamesItsNode) {
    GraphBuilder graph;
    const Source x = graph.data({2, 3});
    const Source y = graph.data({4, 5});
    const Program program = graph.finish({graph.node("MatMulV2", {{"x1", x}, {"x2", y}})});
    const std::vector<Form> inputs{unknown({2, 3}), unknown({4, 5})};
    try {
        infer(program, inputs);
        FAIL();
    } catch (const GraphError& error) {
        EXPECT_THAT(error.what(), HasSubstr("node 'MatMulV22' of type MatMulV2"));
    }
}

TEST(Inference, SlicesGoBackwards) {
    GraphBuilder graph;
    const Source x = graph.data({5});
    const Source begin = graph.constant(at::tensor({-1}, at::kLong));
    const Source end = graph.constant(at::tensor({-6}, at::kLong));
    const Source axes = graph.constant(at::tensor({0}, at::kLong));
    const Source strides = graph.constant(at::tensor({-2}, at::kLong));
    const Source slice = graph.node(
        "StridedSliceV2", {{"x", x}, {"begin", begin}, {"end", end}, {"axes", axes}, {"strides", strides}});
    const Program program = graph.finish({slice});
    const std::vector<Form> inputs{unknown({5})};
    EXPECT_THAT(infer(program, inputs)[5][0].meta.sizes(), ElementsAre(3));
    const at::Tensor values = at::tensor({0.0F, 1.0F, 2.0F, 3.0F, 4.0F});
    EXPECT_TRUE(interpret(program, std::vector<at::Tensor>{values})[0].equal(at::tensor({4.0F, 2.0F, 0.0F})));
}

}  // namespace
}  // namespace opweld::npu::graph
