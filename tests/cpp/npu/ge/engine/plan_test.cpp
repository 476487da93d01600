#include "npu/ge/engine/plan.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "tests/cpp/npu/ge/graph_builder.h"

namespace opweld::npu::graph {
namespace {

std::shared_ptr<const Program> shared(Program program) {
    return std::make_shared<Program>(std::move(program));
}

// sigmoid(x * y + b) * x
Program chain(const std::vector<int64_t>& shape, const std::vector<int64_t>& bias) {
    GraphBuilder graph;
    const Source x = graph.data(shape);
    const Source y = graph.data(shape);
    const Source b = graph.data(bias);
    const Source product = graph.node("Mul", {{"x1", x}, {"x2", y}});
    const Source sum = graph.node("Add", {{"x1", product}, {"x2", b}});
    const Source sigmoid = graph.node("Sigmoid", {{"x", sum}});
    return graph.finish({graph.node("Mul", {{"x1", sigmoid}, {"x2", x}})});
}

at::Tensor chain_by_aten(const std::vector<at::Tensor>& in) {
    return at::sigmoid(in[0] * in[1] + in[2]) * in[0];
}

class ChainTest : public testing::TestWithParam<std::pair<std::vector<int64_t>, std::vector<int64_t>>> {};

TEST_P(ChainTest, RunsAsOneStep) {
    const auto& [shape, bias] = GetParam();
    const std::vector<at::Tensor> inputs{at::randn(shape), at::randn(shape), at::randn(bias)};
    Plan fused(shared(chain(shape, bias)), forms_of(inputs));
    Plan plain(shared(chain(shape, bias)), forms_of(inputs),
               {.reuse_inputs = true, .fuse_chains = false, .fuse_epilogues = false});
    EXPECT_EQ(fused.steps(), 1U);
    EXPECT_EQ(fused.fused_steps(), 1U);
    EXPECT_EQ(fused.memory().bytes, 0U);
    EXPECT_EQ(plain.steps(), 4U);
    const at::Tensor expected = chain_by_aten(inputs);
    // Vector and scalar code differ in the last bit, and which one computes an element depends on how work is
    // cut.
    EXPECT_TRUE(at::allclose(run_plan(fused, inputs)[0], expected, 1e-6, 1e-6));
    EXPECT_TRUE(at::allclose(run_plan(plain, inputs)[0], expected, 1e-6, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ChainTest,
    testing::Values(std::pair<std::vector<int64_t>, std::vector<int64_t>>{{512, 256}, {256}},
                    std::pair<std::vector<int64_t>, std::vector<int64_t>>{{40, 30, 70}, {70}},
                    std::pair<std::vector<int64_t>, std::vector<int64_t>>{{40, 30, 70}, {30, 1}},
                    std::pair<std::vector<int64_t>, std::vector<int64_t>>{{40, 30, 70}, {40, 1, 1}},
                    std::pair<std::vector<int64_t>, std::vector<int64_t>>{{100000}, {}},
                    std::pair<std::vector<int64_t>, std::vector<int64_t>>{{1, 70000}, {1}},
                    std::pair<std::vector<int64_t>, std::vector<int64_t>>{{70000, 1}, {70000, 1}}));

TEST(PlanTest, SmallChainsAreNotCut) {
    const std::vector<at::Tensor> inputs{at::randn({4, 8}), at::randn({4, 8}), at::randn({8})};
    Plan plan(shared(chain({4, 8}, {8})), forms_of(inputs));
    EXPECT_EQ(plan.fused_steps(), 0U);
    EXPECT_TRUE(at::equal(run_plan(plan, inputs)[0], chain_by_aten(inputs)));
}

TEST(PlanTest, AProductAndWhatFollowsItRunTogether) {
    GraphBuilder graph;
    const Source x = graph.data({300, 64});
    const Source w = graph.data({64, 256});
    const Source b = graph.data({256});
    const Source product = graph.node("MatMulV2", {{"x1", x}, {"x2", w}, {"bias", {}}, {"offset_w", {}}});
    const Source sum = graph.node("Add", {{"x1", product}, {"x2", b}});
    const auto program = shared(graph.finish({graph.node("Gelu", {{"x", sum}})}));
    const std::vector<at::Tensor> inputs{at::randn({300, 64}), at::randn({64, 256}), at::randn({256})};
    Plan plan(program, forms_of(inputs));
    EXPECT_EQ(plan.steps(), 1U);
    EXPECT_EQ(plan.fused_steps(), 1U);
    const at::Tensor expected = at::gelu(inputs[0].matmul(inputs[1]) + inputs[2]);
    EXPECT_TRUE(at::allclose(run_plan(plan, inputs)[0], expected, 1e-5, 1e-5));
    Plan apart(program, forms_of(inputs),
               {.reuse_inputs = true, .fuse_chains = true, .fuse_epilogues = false});
    EXPECT_EQ(apart.steps(), 2U);
}

TEST(PlanTest, AResultThatIsReadTwiceKeepsItsPlace) {
    GraphBuilder graph;
    const Source x = graph.data({512, 256});
    const Source relu = graph.node("Relu", {{"x", x}});
    const Source sigmoid = graph.node("Sigmoid", {{"x", relu}});
    const auto program = shared(graph.finish({sigmoid, relu}));
    const std::vector<at::Tensor> inputs{at::randn({512, 256})};
    Plan plan(program, forms_of(inputs));
    const auto outputs = run_plan(plan, inputs);
    EXPECT_TRUE(at::equal(outputs[1], at::relu(inputs[0])));
    EXPECT_TRUE(at::equal(outputs[0], at::sigmoid(at::relu(inputs[0]))));
}

TEST(PlanTest, AnOutputMayLieWhereAnInputLies) {
    GraphBuilder graph;
    const Source x = graph.data({16});
    const Source y = graph.node("Neg", {{"x", x}});
    const auto program = shared(graph.finish({y, graph.node("Add", {{"x1", x}, {"x2", y}})}));
    at::Tensor memory = at::randn({16});
    const at::Tensor before = memory.clone();
    Plan plan(program, forms_of({memory}));
    at::Tensor sum = at::empty({16});
    const at::Tensor arena = at::empty({static_cast<int64_t>(plan.memory().bytes) + 1}, at::kByte);
    const std::vector<Memory> in{{memory.mutable_data_ptr(), memory.nbytes()}};
    const std::vector<Memory> out{{memory.mutable_data_ptr(), memory.nbytes()},
                                  {sum.mutable_data_ptr(), sum.nbytes()}};
    plan.run(in, out, arena.mutable_data_ptr());
    EXPECT_TRUE(at::equal(memory, -before));
    EXPECT_TRUE(at::equal(sum, before - before));
}

TEST(PlanTest, AShapeThatDependsOnDataIsToldByNode) {
    GraphBuilder graph;
    const Source x = graph.data({4});
    const Source shape = graph.data({2}, 9);
    const auto program = shared(graph.finish({graph.node("Reshape", {{"x", x}, {"shape", shape}})}));
    try {
        Plan plan(program, forms_of({at::randn({4}), at::empty({2}, at::kLong)}));
        FAIL() << "the shape cannot be known";
    } catch (const ValueUnknown& error) {
        EXPECT_NE(std::string(error.what()).find("Reshape"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("'shape'"), std::string::npos);
        EXPECT_EQ(error.source().node, 1);
    }
    const at::Tensor value = at::tensor({2, 2}, at::kLong);
    Plan plan(program, {forms_of({at::randn({4})}).front(), known(value)});
    EXPECT_EQ(plan.outputs()[0].sizes(), at::IntArrayRef({2, 2}));
}

TEST(PlanTest, MemoryIsSharedByResultsThatDoNotMeet) {
    GraphBuilder graph;
    Source x = graph.data({1024});
    for (int i = 0; i < 6; ++i) {
        x = graph.node(
            "ReduceSum",
            {{"x", graph.node("Pack", {{"x0", x}, {"x1", x}}, {{"axis", int64_t{0}}, {"N", int64_t{2}}})},
             {"axes", graph.constant(at::tensor({0}, at::kLong))}},
            {{"keep_dims", false}});
    }
    Plan plan(shared(graph.finish({x})), forms_of({at::randn({1024})}));
    EXPECT_LE(plan.memory().bytes, plan.memory().largest_live_set);
    EXPECT_LT(plan.memory().bytes, plan.memory().without_reuse + 1);
}

TEST(PlanTest, WhatIsWrittenIntoIsMadeAnewInEachRun) {
    GraphBuilder graph;
    const Source updates = graph.data({1, 2});
    const Source dims = graph.constant(at::tensor({3, 2}, at::kLong));
    const Source zero = graph.constant(at::tensor(0.0F));
    const Source cache = graph.node("Fill", {{"dims", dims}, {"value", zero}});
    const Source place = graph.data({1, 1}, 9);
    const Source written = graph.node(
        "ScatterNdUpdate", {{"var", cache}, {"indices", place}, {"updates", updates}}, {}, {"var"});
    auto program = shared(graph.finish({written}));
    const at::Tensor values = at::ones({1, 2});
    Plan plan(program, forms_of({values, at::zeros({1, 1}, at::kLong)}));
    for (const int64_t row : {0, 2}) {
        const at::Tensor result = run_plan(plan, {values, at::full({1, 1}, row, at::kLong)})[0];
        EXPECT_EQ(result.sum().item<float>(), 2.0F) << result;
        EXPECT_EQ(result[row][0].item<float>(), 1.0F) << result;
    }
}

}  // namespace
}  // namespace opweld::npu::graph
