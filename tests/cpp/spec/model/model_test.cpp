// What keys become in the model, beyond the tutorial's spec.
#include "spec/expression.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

std::string unary(std::string_view rest) {
    return "  - op: npu_one\n    input_desc: [{name: x, type: [float32, float16]}]\n"
           "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n" +
           std::string(rest);
}

class Everything : public testing::Test {
  protected:
    void SetUp() override {
        const LoadResult result = load_package((data_dir() / "good" / "everything.yaml").string());
        ASSERT_TRUE(result.package) << listed(result.diagnostics);
        package = *result.package;
    }
    Package package;
};

TEST_F(Everything, Schemas) {
    const std::vector<std::string> expected = {
        "gather_rows.out(Tensor x, Tensor index, Tensor? scale=None, int axis=0, *, SymInt[2]? sizes=None, "
        "str mode=\"a\\\"b\", Tensor(a!) out) -> Tensor(a!)",
        "split_evenly(Tensor[] xs, Tensor?[] masks, Tensor[]? extra=None, *, int parts, int[][] groups, "
        "bool[3] flags=[True, False, True], float[] weights=[1.0, 0.5, 1e-05], ScalarType dtype=5, "
        "Device? device=None, Layout layout=0, MemoryFormat memory=2, Generator? generator=None, Scalar "
        "alpha=1, "
        "SymInt limit=5) -> (Tensor[], int, float, bool)",
        "npu_my_unique(Tensor x) -> (Tensor, Tensor)",
        "npu_my_scale(Tensor x, *, float alpha=2.0) -> Tensor",
        "npu_my_double(Tensor x) -> Tensor",
        "npu_my_transposed(Tensor x) -> Tensor",
        "npu_my_fill(Tensor(a!) x, *, float value) -> ()",
        "npu_my_random(*, SymInt[] size, Generator? generator=None) -> Tensor"};
    ASSERT_EQ(package.ops.size(), expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index) {
        EXPECT_EQ(package.ops[index].schema, expected[index]);
    }
}

TEST_F(Everything, Namespaces) {
    EXPECT_EQ(package.ops[0].ns, "my_ns");
    EXPECT_EQ(package.ops[0].overload, "out");
    EXPECT_EQ(package.ops[0].qualified_name(), "my_ns::gather_rows.out");
    EXPECT_NE(package.find("my_ns::gather_rows.out"), nullptr);
}

TEST_F(Everything, MutationAndAlias) {
    const Operator& op = package.ops[0];
    EXPECT_TRUE(op.mutates());
    EXPECT_EQ(op.inputs[3].alias_set, "a");
    ASSERT_TRUE(op.outputs[0].alias_of);
    EXPECT_EQ(*op.outputs[0].alias_of, 3U);
    EXPECT_EQ(op.outputs[0].shape.kind, ShapeRule::Kind::Alias);
}

TEST_F(Everything, LetAndCallArguments) {
    const Operator& op = package.ops[0];
    ASSERT_EQ(op.lets.size(), 2U);
    EXPECT_EQ(op.lets[1].name, "total");
    EXPECT_TRUE(op.lets[1].expr.checked);
    EXPECT_EQ(op.kernels[0].language, KernelLanguage::Aclnn);
    EXPECT_EQ(op.kernels[0].args.size(), 4U);
    EXPECT_EQ(op.constraints[1].message, "rows <= total does not hold");
}

TEST_F(Everything, OutputKinds) {
    const Operator& op = package.ops[1];
    EXPECT_EQ(op.outputs[0].kind, OutputKind::TensorList);
    EXPECT_TRUE(op.outputs[0].count);
    EXPECT_EQ(op.outputs[1].kind, OutputKind::Int);
    EXPECT_EQ(op.outputs[2].kind, OutputKind::Float);
    EXPECT_EQ(op.outputs[3].kind, OutputKind::Bool);
    EXPECT_EQ(package.ops[2].outputs[0].shape.kind, ShapeRule::Kind::DataDependent);
    EXPECT_EQ(package.ops[2].outputs[0].shape.expression.text, "[prod(x.shape)]");
    EXPECT_TRUE(package.ops[5].outputs[0].strides);
    EXPECT_EQ(package.ops[5].outputs[0].formats, std::vector<std::string>{"FRACTAL_NZ"});
}

TEST_F(Everything, PairedOutputTypesBecomeExpressions) {
    EXPECT_EQ(package.ops[2].outputs[0].dtype->text, "x.dtype");
    EXPECT_EQ(package.ops[2].outputs[1].dtype->text,
              "int32 if x.dtype == float32 else int64 if x.dtype == int64 else int64");
    EXPECT_EQ(package.ops[3].outputs[0].dtype->text, "float32");
}

TEST_F(Everything, BoundAttributesAreNoArguments) {
    const Operator& op = package.ops[4];
    EXPECT_EQ(*op.attrs[0].bound, Value{2.0});
    EXPECT_EQ(op.arguments.size(), 1U);
    EXPECT_EQ(op.autocast, Autocast::None);
    EXPECT_EQ(op.ge_op, "MyScale");
}

TEST_F(Everything, OperatorsWithoutTensors) {
    EXPECT_FALSE(package.ops[7].has_tensor_argument());
    EXPECT_TRUE(package.ops[6].has_tensor_argument());
}

TEST(Model, OptionalInputsBeforeRequiredOnesHaveNoDefault) {
    const Package package = good(
        "  - op: npu_one\n"
        "    input_desc: [{name: a, param_type: optional}, {name: b}, {name: c, param_type: optional}]\n"
        "    output_desc: [{name: y, type: b.dtype, shape: b.shape}]\n");
    EXPECT_EQ(package.ops[0].schema, "npu_one(Tensor? a, Tensor b, Tensor? c=None) -> Tensor");
}

TEST(Model, InputBoundToNone) {
    const Package package = good(
        "  - op: npu_one\n"
        "    input_desc: [{name: x}, {name: bias, param_type: optional}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n"
        "  - op: npu_two\n"
        "    prototype_of: npu_one\n"
        "    bind: {bias: null}\n");
    EXPECT_EQ(package.ops[1].schema, "npu_two(Tensor x) -> Tensor");
    EXPECT_TRUE(package.ops[1].inputs[1].bound_to_none);
}

TEST(Model, PrototypesMayComeLaterAndInChains) {
    const Package package = good(
        "  - op: npu_three\n    prototype_of: npu_two\n    bind: {b: 2}\n"
        "  - op: npu_two\n    prototype_of: npu_one\n    bind: {a: 1}\n"
        "  - op: npu_one\n"
        "    input_desc: [{name: x}]\n"
        "    attr: [{name: a, type: int}, {name: b, type: int}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n");
    EXPECT_EQ(package.ops[0].schema, "npu_three(Tensor x) -> Tensor");
    EXPECT_EQ(package.ops[0].prototype_of->index, 1U);
    EXPECT_EQ(package.ops[0].prototype_of->root, 2U);
    EXPECT_EQ(package.ops[0].ge_op, "One");
}

TEST(Model, IndependentAndFixedTypes) {
    const Package package = good(
        "  - op: npu_one\n"
        "    input_desc:\n"
        "      - {name: x, type: \"any_of(fp16, bf16)\"}\n"
        "      - {name: i, type: {any_of: [int32, int64]}}\n"
        "      - {name: f, type: double}\n"
        "    output_desc: [{name: y, type: bf16, shape: x.shape}]\n");
    const Operator& op = package.ops[0];
    EXPECT_EQ(op.inputs[0].types.kind, TypeSet::Kind::Independent);
    EXPECT_EQ(op.inputs[0].types.dtypes, (std::vector{DType::Float16, DType::BFloat16}));
    EXPECT_EQ(op.inputs[1].types.dtypes, (std::vector{DType::Int32, DType::Int64}));
    EXPECT_EQ(op.inputs[2].types.kind, TypeSet::Kind::Fixed);
    EXPECT_EQ(op.outputs[0].dtype->text, "bfloat16");
    EXPECT_EQ(op.paired_length(), 0U);
}

TEST(Model, OutputTypeDecidedBySeveralInputs) {
    const Package package = good(
        "  - op: npu_one\n"
        "    input_desc:\n"
        "      - {name: a, type: [float32, float32, float16]}\n"
        "      - {name: b, type: [int32, int64, int32]}\n"
        "    output_desc: [{name: y, type: [float16, float32, float32], shape: a.shape}]\n");
    EXPECT_EQ(package.ops[0].outputs[0].dtype->text,
              "float16 if a.dtype == float32 and b.dtype == int32 else float32 if a.dtype == float32 and "
              "b.dtype == "
              "int64 else float32");
}

TEST(Model, BoolOutputTensorAndPlainBool) {
    const Package package = good(unary("") +
                                 "  - op: npu_two\n    input_desc: [{name: x}]\n    output_desc:\n"
                                 "      - {name: a, type: bool, shape: x.shape}\n"
                                 "      - {name: b, type: bool, value: x.ndim > 1}\n");
    EXPECT_EQ(package.ops[1].outputs[0].kind, OutputKind::Tensor);
    EXPECT_EQ(package.ops[1].outputs[1].kind, OutputKind::Bool);
    EXPECT_EQ(package.ops[1].schema, "npu_two(Tensor x) -> (Tensor, bool)");
}

TEST(Model, ViewAlias) {
    const Package package = good(
        "  - op: npu_view\n    input_desc: [{name: x}]\n"
        "    output_desc: [{name: y, alias: x, shape: \"[prod(x.shape)]\"}]\n");
    EXPECT_EQ(package.ops[0].schema, "npu_view(Tensor(a) x) -> Tensor(a)");
}

TEST(Model, MutatedListsAndOptionals) {
    const Package package = good(
        "  - op: npu_step\n    input_desc:\n"
        "      - {name: xs, param_type: dynamic, mutates: true}\n"
        "      - {name: m, param_type: optional, mutates: true}\n");
    EXPECT_EQ(package.ops[0].schema, "npu_step(Tensor(a!)[] xs, Tensor(b!)? m=None) -> ()");
}

TEST(Model, GenerationNeedsShapes) {
    const std::string ops = "  - op: npu_one\n    input_desc: [{name: x}]\n    output_desc: [{name: y}]\n";
    EXPECT_TRUE(load_ops(ops).package);
    CheckOptions options;
    options.for_generation = true;
    options.check_files = false;
    const LoadResult result = load_text(spec_of(ops), "tested.yaml", options);
    EXPECT_FALSE(result.package);
}

TEST(Model, ScalarConstraintsAndSingleKernel) {
    const Package package =
        good(unary("    kernel: {language: compose, formula: \"x + 1\"}\n    converter: decompose\n"));
    EXPECT_EQ(package.ops[0].converter.kind, Converter::Kind::Decompose);
    ASSERT_EQ(package.ops[0].kernels.size(), 1U);
}

}  // namespace
}  // namespace opweld::spec::test
