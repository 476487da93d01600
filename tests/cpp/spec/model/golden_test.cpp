// The spec of the tutorial, read completely.
#include "spec/expression.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

class Golden : public testing::Test {
  protected:
    void SetUp() override {
        result = load_package((data_dir() / "good" / "custom_linear.yaml").string());
        ASSERT_TRUE(result.package) << listed(result.diagnostics);
        package = *result.package;
    }

    LoadResult result;
    Package package;
};

TEST_F(Golden, HasNoFaults) { EXPECT_EQ(listed(result.diagnostics), ""); }

TEST_F(Golden, Package) {
    EXPECT_EQ(package.name, "custom_linear");
    ASSERT_EQ(package.ops.size(), 3U);
    EXPECT_EQ(package.ops[0].qualified_name(), "npu::npu_custom_linear");
    EXPECT_EQ(package.find("npu_custom_linear_backward"), &package.ops[2]);
    EXPECT_EQ(package.find("npu::npu_custom_linear"), &package.ops[0]);
    EXPECT_EQ(package.find("other::npu_custom_linear"), nullptr);
}

TEST_F(Golden, Schemas) {
    EXPECT_EQ(
        package.ops[0].schema,
        "npu_custom_linear(Tensor x, Tensor weight, Tensor? bias=None, *, bool use_bias=False) -> Tensor");
    EXPECT_EQ(package.ops[1].schema,
              "npu_custom_linear_with_bias(Tensor x, Tensor weight, Tensor bias) -> Tensor");
    EXPECT_EQ(package.ops[2].schema,
              "npu_custom_linear_backward(Tensor grad_y, Tensor x, Tensor weight, *, bool use_bias=False) -> "
              "(Tensor, Tensor, Tensor)");
}

TEST_F(Golden, Inputs) {
    const Operator& op = package.ops[0];
    ASSERT_EQ(op.inputs.size(), 3U);
    EXPECT_EQ(op.inputs[2].name, "bias");
    EXPECT_EQ(op.inputs[2].kind, InputKind::OptionalTensor);
    EXPECT_EQ(op.inputs[0].types.kind, TypeSet::Kind::Paired);
    EXPECT_EQ(op.inputs[0].types.dtypes, (std::vector{DType::Float32, DType::Float16, DType::BFloat16}));
    EXPECT_EQ(op.inputs[0].formats, std::vector<std::string>{"ND"});
    EXPECT_EQ(op.inputs[0].at.line, 8U);
    EXPECT_EQ(op.inputs[0].at.column, 16U);
    EXPECT_EQ(op.paired_length(), 3U);
    EXPECT_TRUE(op.has_tensor_argument());
    EXPECT_FALSE(op.mutates());
}

TEST_F(Golden, OutputsAndConstraints) {
    const Operator& op = package.ops[0];
    ASSERT_EQ(op.outputs.size(), 1U);
    EXPECT_EQ(op.outputs[0].shape.kind, ShapeRule::Kind::Expression);
    EXPECT_EQ(op.outputs[0].shape.expression.text, "x.shape[:-1] + [weight.shape[0]]");
    ASSERT_TRUE(op.outputs[0].shape.expression.checked);
    EXPECT_EQ(op.outputs[0].shape.expression.checked->expression.free_names(),
              (std::set<std::string>{"x", "weight"}));
    ASSERT_EQ(op.constraints.size(), 4U);
    EXPECT_EQ(op.constraints[1].message, "x and weight disagree on in_features");
    EXPECT_TRUE(op.constraints[3].expr.checked);
    EXPECT_TRUE(package.ops[2].outputs[2].present);
}

TEST_F(Golden, Backward) {
    const auto& call = std::get<BackwardOp>(package.ops[0].backward);
    EXPECT_EQ(call.op, "npu::npu_custom_linear_backward");
    EXPECT_EQ(call.op_index, 2U);
    ASSERT_EQ(call.args.size(), 4U);
    EXPECT_EQ(call.args[0].from, BackwardArg::From::Gradient);
    EXPECT_EQ(call.args[3].from, BackwardArg::From::Attr);
    EXPECT_EQ(call.args[3].argument, 3U);
    EXPECT_EQ(call.gives, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(std::get<BackwardNone>(package.ops[2].backward).stated);
}

TEST_F(Golden, RulesAndKernels) {
    const Operator& op = package.ops[0];
    EXPECT_EQ(op.ge_op, "CustomLinear");
    EXPECT_EQ(package.ops[2].ge_op, "CustomLinearBackward");
    EXPECT_EQ(op.autocast, Autocast::Lower);
    ASSERT_EQ(op.kernels.size(), 2U);
    EXPECT_EQ(op.kernels[0].language, KernelLanguage::Cpp);
    EXPECT_EQ(op.kernels[0].source, "kernels/custom_linear.cpp");
    ASSERT_TRUE(op.kernels[1].formula);
    EXPECT_TRUE(op.kernels[1].formula->checked);
    ASSERT_EQ(op.batching.size(), 1U);
    EXPECT_EQ(op.batching[0].dim, 0);
}

TEST_F(Golden, BoundPrototype) {
    const Operator& base = package.ops[0];
    const Operator& op = package.ops[1];
    ASSERT_TRUE(op.prototype_of);
    EXPECT_EQ(op.prototype_of->index, 0U);
    EXPECT_EQ(op.prototype_of->root, 0U);
    EXPECT_EQ(op.ge_op, base.ge_op);
    EXPECT_EQ(op.inputs[2].kind, InputKind::Tensor);
    EXPECT_EQ(op.inputs[2].prototype_kind, InputKind::OptionalTensor);
    EXPECT_EQ(op.inputs[2].types.dtypes, base.inputs[2].types.dtypes);
    ASSERT_TRUE(op.attrs[0].bound);
    EXPECT_EQ(*op.attrs[0].bound, Value{true});
    EXPECT_EQ(op.arguments.size(), 3U);
    EXPECT_EQ(op.constraints.size(), base.constraints.size());
    EXPECT_EQ(op.kernels.size(), base.kernels.size());
    EXPECT_EQ(op.reference, base.reference);
    EXPECT_EQ(std::get<BackwardOp>(op.backward).op_index, 2U);
}

}  // namespace
}  // namespace opweld::spec::test
