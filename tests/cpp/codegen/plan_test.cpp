// Which kernel is taken for which target, and what is refused.
#include "codegen/plan.h"

#include <gtest/gtest.h>

#include "support.h"

namespace opweld::codegen {
namespace {

using testing::load_spec_text;

std::string op_with(const std::string& kernels, const std::string& attributes = "[]") {
    return "  - op: demo::f\n"
           "    input_desc: [{name: x, param_type: required}]\n"
           "    attr: " +
           attributes +
           "\n"
           "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n"
           "    backward: none\n"
           "    kernel: " +
           kernels + "\n";
}

std::vector<spec::Diagnostic> faults_of(const std::string& ops, Target target) {
    std::vector<spec::Diagnostic> diagnostics;
    make_plan(load_spec_text(ops), {target, "out"}, diagnostics);
    return diagnostics;
}

const std::string cpp = "[{language: cpp, source: kernels/f.cpp}]";
const std::string both = "[{language: cpp, source: kernels/f.cpp}, {language: compose, formula: \"x * 2\"}]";

TEST(Plan, SoftwareTakesTheKernelInCpp) {
    const spec::Package package = load_spec_text(op_with(both));
    std::vector<spec::Diagnostic> diagnostics;
    const PackagePlan plan = make_plan(package, {Target::Software, "out"}, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    EXPECT_EQ(plan.ops[0].aclnn_function, "aclnnF");
    EXPECT_TRUE(plan.ops[0].calls_own_function);
    EXPECT_NE(plan.ops[0].compose, nullptr);
}

TEST(Plan, NpuTakesTheFormulaInstead) {
    const spec::Package package = load_spec_text(op_with(both));
    std::vector<spec::Diagnostic> diagnostics;
    const PackagePlan plan = make_plan(package, {Target::Npu, "out"}, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    EXPECT_EQ(plan.ops[0].aclnn_function, "");
    EXPECT_NE(plan.ops[0].cpp, nullptr) << "the CPU still has its kernel";
}

TEST(Plan, NpuRefusesAnOperatorThatOnlyTheCpuCanRun) {
    const auto faults = faults_of(op_with(cpp), Target::Npu);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].rule, "OW601");
    EXPECT_NE(faults[0].message.find("demo::f"), std::string::npos);
    EXPECT_NE(faults[0].message.find("software NPU and the CPU only"), std::string::npos);
    EXPECT_GT(faults[0].span.at.line, 0U);
    EXPECT_FALSE(faults[0].hint.empty());
}

TEST(Plan, SaysWhereTheGradientsOfABackwardOperatorCanBeWrittenInstead) {
    const std::string ops =
        "  - op: demo::f\n"
        "    input_desc: [{name: x, param_type: required}, {name: w, param_type: required}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n"
        "    backward: {op: demo::f_backward, args: [grad_y, x, w], gives: [x, w]}\n"
        "    kernel: [{language: compose, formula: \"x * w\"}]\n"
        "  - op: demo::f_backward\n"
        "    input_desc: [{name: grad_y}, {name: x}, {name: w}]\n"
        "    output_desc: [{name: grad_x, type: x.dtype, shape: x.shape}, {name: grad_w, type: w.dtype, "
        "shape: w.shape}]\n"
        "    backward: none\n"
        "    kernel: [{language: cpp, source: kernels/f.cpp}]\n";
    const auto faults = faults_of(ops, Target::Npu);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].rule, "OW601");
    EXPECT_NE(faults[0].hint.find("as formulas in the backward of f (`backward: {x: "), std::string::npos)
        << faults[0].hint;
    EXPECT_TRUE(faults_of(ops, Target::Software).empty());
}

TEST(Plan, RefusesAscendCForNow) {
    const auto faults = faults_of(op_with("[{language: ascendc, source: kernels/f.cpp}]"), Target::Software);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].message.find("ascendc"), std::string::npos);
}

TEST(Plan, CannsFunctionServesBothTargets) {
    const std::string op = op_with("[{language: aclnn, aclnn: aclnnAbs}]");
    for (const Target target : {Target::Software, Target::Npu}) {
        const spec::Package package = load_spec_text(op);
        std::vector<spec::Diagnostic> diagnostics;
        const PackagePlan plan = make_plan(package, {target, "out"}, diagnostics);
        EXPECT_EQ(plan.ops[0].aclnn_function, "aclnnAbs");
        EXPECT_FALSE(plan.ops[0].calls_own_function);
    }
}

TEST(Plan, RefusesAttributesThatNoKernelCanBeGiven) {
    const auto faults = faults_of(op_with(cpp, "[{name: words, type: \"str[]\"}]"), Target::Software);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].rule, "OW602");
    EXPECT_NE(faults[0].message.find("words"), std::string::npos);
    EXPECT_TRUE(
        faults_of(op_with("[{language: compose, formula: \"x * 2\"}]", "[{name: words, type: \"str[]\"}]"),
                  Target::Software)
            .empty());
}

TEST(Plan, RefusesAGeneratorThatIsNotOptional) {
    const auto faults = faults_of(op_with(cpp, "[{name: generator, type: Generator}]"), Target::Software);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].expected.find("Generator?"), std::string::npos);
}

TEST(Plan, RenamesWhatGeneratedCodeUsesItself) {
    const spec::Package package = load_spec_text(
        "  - op: demo::f\n"
        "    input_desc: [{name: keys, param_type: required}]\n"
        "    output_desc: [{name: result, type: keys.dtype, shape: keys.shape}]\n"
        "    backward: none\n"
        "    kernel: [{language: compose, formula: \"keys * 2\"}]\n");
    std::vector<spec::Diagnostic> diagnostics;
    const PackagePlan plan = make_plan(package, {Target::Software, "out"}, diagnostics);
    EXPECT_EQ(plan.ops[0].inputs[0], "keys_");
    EXPECT_EQ(plan.ops[0].outputs[0], "result_");
}

TEST(Plan, NothingIsWrittenWhereSomethingIsRefused) {
    const testing::TemporaryFolder folder;
    const GenerateResult result =
        generate(load_spec_text(op_with(cpp)), {Target::Npu, folder.path() / "out"});
    EXPECT_FALSE(result.ok());
    EXPECT_TRUE(result.files.empty());
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

}  // namespace
}  // namespace opweld::codegen
