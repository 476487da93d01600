// Imports: msopgen's JSON and op-plugin's YAML.
#include <cstdlib>

#include "spec/cpp_expression.h"
#include "spec/op_plugin.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

constexpr std::string_view kMsopgen = R"([
    {
        "op": "MyScaleV2",
        "language": "cpp",
        "input_desc": [
            {"name": "x", "param_type": "required", "format": ["ND", "ND"], "type": ["fp16", "float"]},
            {"name": "bias", "param_type": "optional", "format": ["ND", "ND"], "type": ["fp16", "float"]}
        ],
        "output_desc": [
            {"name": "y", "param_type": "required", "format": ["ND", "ND"], "type": ["fp16", "float"]}
        ],
        "attr": [
            {"name": "alpha", "param_type": "optional", "type": "float", "default_value": "0.5"},
            {"name": "axes", "param_type": "optional", "type": "list_int", "default_value": [1, 2]}
        ]
    }
])";

TEST(Msopgen, IsReadAsItStands) {
    const LoadResult result = load_text(kMsopgen, "MyScale-V2.json");
    ASSERT_TRUE(result.package) << listed(result.diagnostics);
    EXPECT_EQ(result.package->name, "myscale_v2");
    EXPECT_EQ(result.package->origin, Package::Origin::Msopgen);
    const Operator& op = result.package->ops.at(0);
    EXPECT_EQ(op.ge_op, "MyScaleV2");
    EXPECT_EQ(
        op.schema,
        "npu_my_scale_v2(Tensor x, Tensor? bias=None, *, float alpha=0.5, int[] axes=[1, 2]) -> Tensor");
    EXPECT_EQ(op.inputs[0].types.dtypes, (std::vector{DType::Float16, DType::Float32}));
    EXPECT_EQ(op.outputs[0].dtype->text, "x.dtype");
    EXPECT_EQ(op.outputs[0].shape.kind, ShapeRule::Kind::Unknown);
}

TEST(Msopgen, MissingShapeIsAWarningOfCheckAndAFaultOfGeneration) {
    const LoadResult checked = load_text(kMsopgen, "scale.json");
    ASSERT_EQ(listed(checked.diagnostics), "10:23 warning OW304 the output 'y' has no shape\n");
    EXPECT_EQ(checked.diagnostics[0].hint, "add 'shape: x.shape' if that is right");
    CheckOptions options;
    options.for_generation = true;
    const LoadResult generated = load_text(kMsopgen, "scale.json", options);
    EXPECT_FALSE(generated.package);
    EXPECT_EQ(generated.diagnostics.at(0).severity, Severity::Error);
}

TEST(Msopgen, TabsBetweenTokens) {
    std::string text(kMsopgen);
    std::size_t at = 0;
    while ((at = text.find("    ", at)) != std::string::npos) {
        text.replace(at, 4, "\t");
    }
    EXPECT_TRUE(load_text(text, "scale.json").package);
}

TEST(Msopgen, ImportGivesASpec) {
    const ImportResult result = import_msopgen(kMsopgen, "scale");
    EXPECT_EQ(result.count(ImportEntry::Outcome::SchemaOnly), 1U);
    const LoadResult loaded = load_text(result.yaml, "scale.yaml");
    ASSERT_TRUE(loaded.package) << result.yaml;
    EXPECT_EQ(loaded.package->ops[0].ge_op, "MyScaleV2");
    EXPECT_EQ(import_msopgen("{", "x").yaml, "");
}

constexpr std::string_view kOpPlugin = R"(all_version: [v2.1, v2.2, v2.3]
official:
  - func: clip_low(Tensor self, Scalar min) -> Tensor
    op_api: [v2.2, newest]
    gen_opapi:
      structured_inherit: clip_low.out
  - func: clip_low.out(Tensor self, Scalar min, *, Tensor(a!) out) -> Tensor(a!)
    op_api: all_version
    gen_opapi:
      out:
        size: self
        dtype: self
      exec: aclnnClipLow
  - func: clip_low_(Tensor(a!) self, Scalar min) -> Tensor(a!)
    op_api: v2.2, v2.3
    gen_opapi:
      exec: aclnnInplaceClipLow
custom:
  - func: npu_two(Tensor x, Tensor? w=None, int dim=-1, bool keepdim=False) -> (Tensor, Tensor)
    op_api: all_version
    gen_opapi:
      new_params:
        k: 'w.has_value() ? 2 : 3'
      out0:
        size: '{4, x.size(0)}'
        dtype: at::kFloat
      out1:
        size: 'broadcast_ops_npu_output_size(x, x)'
        dtype: 'isIntegralType(x.scalar_type(), true) ? at::kFloat : x.scalar_type()'
      exec: aclnnTwo, x, w, k, dim, out0, out1
  - func: npu_linear(Tensor x) -> Tensor
    op_api: v2.1
    acl_op: all_version
symint:
  - func: clip_low(Tensor self, Scalar min) -> Tensor
    op_api: all_version
)";

const ImportEntry* entry(const ImportResult& result, std::string_view name) {
    for (const ImportEntry& item : result.entries) {
        if (item.name == name) {
            return &item;
        }
    }
    return nullptr;
}

TEST(OpPlugin, FullSpecs) {
    const ImportResult result = import_op_plugin(kOpPlugin, "2.3");
    for (const std::string_view name : {"clip_low", "clip_low.out", "clip_low_", "npu_two"}) {
        ASSERT_NE(entry(result, name), nullptr) << name;
        if (name != "clip_low") {
            EXPECT_EQ(entry(result, name)->outcome, ImportEntry::Outcome::Full)
                << name << entry(result, name)->reason;
        }
    }
    const LoadResult loaded = load_text(result.yaml, "imported.yaml");
    ASSERT_TRUE(loaded.package) << listed(loaded.diagnostics) << result.yaml;
    const Package& package = *loaded.package;
    const Operator* functional = package.find("aten_import::clip_low");
    ASSERT_NE(functional, nullptr);
    EXPECT_EQ(functional->outputs[0].shape.expression.text, "self.shape");
    const Operator* out = package.find("aten_import::clip_low.out");
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(out->schema, "clip_low.out(Tensor self, Scalar min, *, Tensor(a!) out) -> Tensor(a!)");
    EXPECT_EQ(out->kernels.at(0).args.size(), 3U);
    const Operator* in_place = package.find("aten_import::clip_low_");
    ASSERT_NE(in_place, nullptr);
    EXPECT_EQ(in_place->kernels.at(0).aclnn, "aclnnInplaceClipLow");
    const Operator* two = package.find("npu_two");
    ASSERT_NE(two, nullptr);
    EXPECT_EQ(two->schema,
              "npu_two(Tensor x, Tensor? w=None, int dim=-1, bool keepdim=False) -> (Tensor, Tensor)");
    EXPECT_EQ(two->outputs[0].shape.expression.text, "[4, x.shape[0]]");
    EXPECT_EQ(two->outputs[0].dtype->text, "float32");
    EXPECT_EQ(two->outputs[1].shape.expression.text, "broadcast(x.shape, x.shape)");
    EXPECT_EQ(two->outputs[1].dtype->text,
              "float32 if (x.dtype in [bool, uint8, int8, int16, int32, int64]) else x.dtype");
    EXPECT_EQ(two->lets.at(0).expr.text, "2 if (w is not None) else 3");
}

TEST(OpPlugin, OthersSayWhy) {
    const ImportResult result = import_op_plugin(kOpPlugin, "v2.3");
    ASSERT_NE(entry(result, "npu_linear"), nullptr);
    EXPECT_EQ(entry(result, "npu_linear")->outcome, ImportEntry::Outcome::SchemaOnly);
    EXPECT_EQ(entry(result, "npu_linear")->reason, "no aclnn kernel");
    EXPECT_NE(result.yaml.find("op: npu_import::npu_linear"), std::string::npos);
    EXPECT_EQ(result.count(ImportEntry::Outcome::Skipped), 1U);  // the second clip_low
    EXPECT_NE(result.summary().find("the file has it already"), std::string::npos);
}

TEST(OpPlugin, OnlyCompleteOnes) {
    const ImportResult all = import_op_plugin(kOpPlugin, "v2.3");
    const ImportResult result =
        import_op_plugin(kOpPlugin, "v2.3", "op_plugin_import", "file.yaml", Take::complete);
    EXPECT_EQ(result.entries.size(), all.entries.size());
    EXPECT_GT(result.count(ImportEntry::Outcome::SchemaOnly), 0U);
    EXPECT_EQ(result.yaml.find("npu_linear"), std::string::npos);
    const LoadResult loaded = load_text(result.yaml, "imported.yaml");
    ASSERT_TRUE(loaded.package) << listed(loaded.diagnostics);
    EXPECT_EQ(loaded.package->ops.size(), result.count(ImportEntry::Outcome::Full));
}

TEST(OpPlugin, Versions) {
    const ImportResult old = import_op_plugin(kOpPlugin, "v2.1");
    // Of the first clip_low, the second is left, which has no rules.
    EXPECT_EQ(entry(old, "clip_low_")->outcome, ImportEntry::Outcome::Skipped);
    EXPECT_EQ(import_op_plugin(kOpPlugin, "v9.9").diagnostics.at(0).rule, "OW512");
    EXPECT_EQ(import_op_plugin("a: b", "v2.1").diagnostics.at(0).rule, "OW511");
}

expr::Scope scope() {
    return {{"x", expr::Type::tensor()},
            {"w", expr::Type::optional(expr::Type::tensor())},
            {"n", expr::Type::integer()},
            {"max", expr::Type::integer()},
            {"mode", expr::Type::optional(expr::Type::integer())}};
}

std::string translated(std::string_view text, CppPlace place = CppPlace::Value) {
    const CppTranslation result = translate_cpp(text, place, scope());
    return result.text.value_or("no: " + result.obstacle);
}

TEST(CppExpression, Translates) {
    EXPECT_EQ(translated("x", CppPlace::Size), "x.shape");
    EXPECT_EQ(translated("x", CppPlace::DType), "x.dtype");
    EXPECT_EQ(translated("x.sizes()", CppPlace::Size), "x.shape");
    EXPECT_EQ(translated("{x.size(0), 8L, x.size(-1) / 2}", CppPlace::Size),
              "[x.shape[0], 8, (x.shape[-1] // 2)]");
    EXPECT_EQ(translated("c10::SmallVector<int64_t, op_infer::SIZE>{}", CppPlace::Size), "[]");
    EXPECT_EQ(translated("n == at::Reduction::None ? x.sizes() : at::ArrayRef<int64_t>()", CppPlace::Size),
              "x.shape if (n == 0) else []");
    EXPECT_EQ(translated("at::ScalarType::Half", CppPlace::DType), "float16");
    EXPECT_EQ(translated("mode.value_or(0)"), "mode if mode is not None else 0");
    EXPECT_EQ(translated("std::max(n, 1)"), "$max(n, 1)");
    EXPECT_EQ(translated("!w.has_value() && n > 0"), "not (w is not None) and (n > 0)");
    EXPECT_EQ(translated("static_cast<float>(n)"), "n");
    EXPECT_EQ(translated("(int64_t)0"), "0");
    EXPECT_EQ(translated("x.numel() + x.dim()"), "prod(x.shape) + x.ndim");
}

TEST(CppExpression, SaysWhatItDoesNotKnow) {
    EXPECT_EQ(translated("magic(x)"), "no: unknown function 'magic'");
    EXPECT_EQ(translated("y"), "no: unknown name 'y'");
    EXPECT_EQ(translated("x.transpose(0, 1)"), "no: unknown method 'transpose'");
    EXPECT_EQ(translated("(n"), "no: ')' is missing");
    EXPECT_EQ(translated(""), "no: the expression is cut off");
    EXPECT_EQ(translated("\"a"), "no: a text that is not closed");
    EXPECT_EQ(translated(std::string(5000, '(')), "no: too deeply nested");
}

// The real file is not part of the repository: the test runs where its path is given.
TEST(OpPlugin, RealFile) {
    const char* path = std::getenv("OPWELD_OP_PLUGIN_YAML");
    if (path == nullptr) {
        GTEST_SKIP() << "OPWELD_OP_PLUGIN_YAML names no file";
    }
    const ImportResult result = import_op_plugin(read(path), "v2.13");
    EXPECT_GT(result.entries.size(), 1500U);
    EXPECT_GE(result.count(ImportEntry::Outcome::Full), 300U) << result.summary();
    EXPECT_LT(result.count(ImportEntry::Outcome::Skipped), 120U) << result.summary();
    const LoadResult loaded = load_text(result.yaml, "imported.yaml");
    ASSERT_TRUE(loaded.package);
    EXPECT_EQ(loaded.package->ops.size() + result.count(ImportEntry::Outcome::Skipped),
              result.entries.size());
}

}  // namespace
}  // namespace opweld::spec::test
