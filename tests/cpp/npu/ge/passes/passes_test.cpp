#include "npu/ge/passes/passes.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "tests/cpp/npu/ge/graph_builder.h"

namespace opweld::npu::graph {
namespace {

std::vector<at::Tensor> run(const Program& program, const std::vector<at::Tensor>& inputs) {
    Plan plan(std::make_shared<Program>(program), forms_of(inputs));
    return run_plan(plan, inputs);
}

// Runs one pass; the results before and after must be equal.
size_t changes(Program& program, size_t (*pass)(Program&), const std::vector<at::Tensor>& inputs) {
    const auto before = run(program, inputs);
    const size_t count = pass(program);
    const auto after = run(program, inputs);
    for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_TRUE(at::equal(before[i], after[i]));
    }
    return count;
}

Source order(GraphBuilder& graph, std::initializer_list<int64_t> axes) {
    return graph.constant(at::tensor(std::vector<int64_t>(axes), at::kLong));
}

TEST(PassesTest, ConstantsAreFolded) {
    GraphBuilder graph;
    const Source x = graph.data({3, 4});
    const Source turned =
        graph.node("Transpose", {{"x", graph.constant(at::randn({4, 3}))}, {"perm", order(graph, {1, 0})}});
    Program program =
        graph.finish({graph.node("Add", {{"x1", x}, {"x2", graph.node("Neg", {{"x", turned}})}})});
    EXPECT_EQ(changes(program, fold_constants, {at::randn({3, 4})}), 2U);
    EXPECT_EQ(count_type(program, "Neg"), 0U);
    EXPECT_EQ(count_type(program, "Add"), 1U);
}

TEST(PassesTest, EqualNodesAreMergedAndOthersStay) {
    GraphBuilder graph;
    const Source x = graph.data({3});
    const Source a = graph.node("Muls", {{"x", x}}, {{"value", 2.0F}});
    const Source b = graph.node("Muls", {{"x", x}}, {{"value", 2.0F}});
    const Source c = graph.node("Muls", {{"x", x}}, {{"value", 3.0F}});
    Program program =
        graph.finish({graph.node("Add", {{"x1", graph.node("Add", {{"x1", a}, {"x2", b}})}, {"x2", c}})});
    EXPECT_EQ(changes(program, merge_common_subexpressions, {at::randn({3})}), 1U);
    EXPECT_EQ(count_type(program, "Muls"), 2U);
}

TEST(PassesTest, TransposesThatUndoEachOtherGo) {
    GraphBuilder graph;
    const Source x = graph.data({2, 3, 4});
    const Source there = graph.node("Transpose", {{"x", x}, {"perm", order(graph, {2, 0, 1})}});
    const Source back = graph.node("Transpose", {{"x", there}, {"perm", order(graph, {1, 2, 0})}});
    const Source other = graph.node("Transpose", {{"x", there}, {"perm", order(graph, {2, 0, 1})}});
    Program program = graph.finish({graph.node("Neg", {{"x", back}}), other});
    EXPECT_EQ(changes(program, merge_transposes, {at::randn({2, 3, 4})}), 1U);
    remove_dead_nodes(program);
    EXPECT_EQ(count_type(program, "Transpose"), 2U);
}

TEST(PassesTest, OnlyCastsThatLoseNothingGo) {
    constexpr int64_t kFloat = 0;
    constexpr int64_t kHalf = 1;
    GraphBuilder graph;
    const Source half = graph.data({8}, 1);
    const Source wide = graph.data({8}, 0);
    const Source wider = graph.node("Cast", {{"x", half}}, {{"dst_type", kFloat}});
    const Source same = graph.node("Cast", {{"x", wider}}, {{"dst_type", kHalf}});
    const Source narrower = graph.node("Cast", {{"x", wide}}, {{"dst_type", kHalf}});
    const Source rounded = graph.node("Cast", {{"x", narrower}}, {{"dst_type", kFloat}});
    Program program = graph.finish({graph.node("Neg", {{"x", same}}), rounded});
    EXPECT_EQ(changes(program, merge_casts, {at::randn({8}).to(at::kHalf), at::randn({8})}), 1U);
    remove_dead_nodes(program);
    EXPECT_EQ(count_type(program, "Cast"), 2U);
}

// The gradient of a filter [4, 3, 3, 3] from inputs of one dtype, cast to another.
Program filter_gradient(int64_t from, int64_t to, bool read_as_it_is) {
    GraphBuilder graph;
    const Source x = graph.data({2, 3, 8, 8}, static_cast<int32_t>(from));
    const Source grad = graph.data({2, 4, 8, 8}, static_cast<int32_t>(from));
    const std::vector<int64_t> ones = {1, 1, 1, 1};
    const Source gradient =
        graph.node("Conv2DBackpropFilter",
                   {{"x", x},
                    {"filter_size", graph.constant(at::tensor(std::vector<int32_t>{4, 3, 3, 3}, at::kInt))},
                    {"out_backprop", grad}},
                   {{"strides", ones}, {"pads", ones}, {"dilations", ones}, {"data_format", "NCHW"}});
    std::vector<Source> outputs = {
        graph.node("Neg", {{"x", graph.node("Cast", {{"x", gradient}}, {{"dst_type", to}})}})};
    if (read_as_it_is) {
        outputs.push_back(gradient);
    }
    return graph.finish(outputs);
}

TEST(PassesTest, GradientsOfFiltersThatAreCastAreRoundedByTheirKernel) {
    constexpr int64_t kFloat = 0;
    constexpr int64_t kHalf = 1;
    constexpr int64_t kBfloat16 = 27;
    Program program = filter_gradient(kBfloat16, kBfloat16, false);
    const std::vector<at::Tensor> inputs = {at::randn({2, 3, 8, 8}).to(at::kBFloat16),
                                            at::randn({2, 4, 8, 8}).to(at::kBFloat16)};
    const at::Tensor before = run(program, inputs).front();
    EXPECT_EQ(round_filter_gradients(program), 1U);
    remove_dead_nodes(program);
    EXPECT_EQ(count_type(program, "Cast"), 0U);
    const at::Tensor after = run(program, inputs).front();
    EXPECT_EQ(after.scalar_type(), at::kBFloat16);
    EXPECT_TRUE(at::allclose(before.to(at::kFloat), after.to(at::kFloat), 1e-2, 1e-2));

    Program exact = filter_gradient(kFloat, kBfloat16, false);
    EXPECT_EQ(round_filter_gradients(exact), 0U);
    Program half = filter_gradient(kHalf, kHalf, false);
    EXPECT_EQ(round_filter_gradients(half), 0U);
    Program read_twice = filter_gradient(kBfloat16, kBfloat16, true);
    EXPECT_EQ(round_filter_gradients(read_twice), 0U);
}

TEST(PassesTest, ProductsWithOneGo) {
    GraphBuilder graph;
    const Source x = graph.data({3});
    const Source one = graph.constant(at::scalar_tensor(1.0));
    const Source two = graph.constant(at::scalar_tensor(2.0));
    const Source plain =
        graph.node("RealDiv", {{"x1", graph.node("Mul", {{"x1", one}, {"x2", x}})}, {"x2", one}});
    Program program = graph.finish({graph.node("Mul", {{"x1", plain}, {"x2", two}})});
    EXPECT_EQ(changes(program, remove_neutral_operations, {at::randn({3})}), 2U);
    remove_dead_nodes(program);
    EXPECT_EQ(count_type(program, "Mul"), 1U);
    EXPECT_EQ(count_type(program, "RealDiv"), 0U);
}

TEST(PassesTest, CopiesGoUnlessSomebodyWrites) {
    GraphBuilder graph;
    const Source x = graph.data({3});
    Program program = graph.finish({graph.node("Neg", {{"x", graph.node("TensorMove", {{"x", x}})}})});
    EXPECT_EQ(changes(program, remove_copies, {at::randn({3})}), 1U);

    GraphBuilder writing;
    const Source target = writing.data({3});
    const Source copy = writing.node("TensorMove", {{"x", target}});
    const Source assigned =
        writing.node("Assign", {{"ref", target}, {"value", writing.node("Neg", {{"x", copy}})}}, {}, {"ref"});
    Program kept = writing.finish({copy, assigned});
    EXPECT_EQ(remove_copies(kept), 0U);
}

TEST(PassesTest, DeadNodesGoAndDataStays) {
    GraphBuilder graph;
    const Source x = graph.data({3});
    const Source unused = graph.data({3});
    graph.node("Neg", {{"x", unused}});
    Program program = graph.finish({graph.node("Abs", {{"x", x}})});
    EXPECT_EQ(changes(program, remove_dead_nodes, {at::randn({3}), at::randn({3})}), 1U);
    EXPECT_EQ(program.graph.data.size(), 2U);
}

TEST(PassSwitchesTest, NamesAreCheckedAndSwitchOff) {
    EXPECT_TRUE(PassSwitches("").on("fold-constants"));
    EXPECT_FALSE(PassSwitches("none").on("fold-constants"));
    const PassSwitches some("-fold-constants,-fuse-chains");
    EXPECT_FALSE(some.on("fold-constants"));
    EXPECT_FALSE(some.on("fuse-chains"));
    EXPECT_TRUE(some.on("merge-casts"));
    try {
        PassSwitches("-fold-constant");
        FAIL() << "the name does not exist";
    } catch (const GraphError& error) {
        EXPECT_NE(std::string(error.what()).find("fold-constants"), std::string::npos);
    }
}

TEST(PassesTest, EachPassCanBeSwitchedOff) {
    for (const Pass& pass : all_passes()) {
        GraphBuilder graph;
        Program program = graph.finish({graph.node("Neg", {{"x", graph.data({1})}})});
        std::vector<std::string_view> ran;
        run_passes(program, PassSwitches("-" + std::string(pass.name)),
                   [&](const Pass& done, size_t, const Program&) { ran.push_back(done.name); });
        EXPECT_EQ(ran.size() + 1, all_passes().size());
        EXPECT_EQ(std::ranges::find(ran, pass.name), ran.end());
    }
}

}  // namespace
}  // namespace opweld::npu::graph
