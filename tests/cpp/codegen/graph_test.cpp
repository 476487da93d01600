// Prototypes and converters: what a graph gets of each kind of input, attribute and output.
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace opweld::codegen {
namespace {

using testing::render_all;
using testing::text_of;

class Graph : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        files_ =
            new std::vector<SourceFile>(render_all(testing::load("tests/data/spec/good/all_types.yaml")));
    }
    static void TearDownTestSuite() { delete files_; }

    static bool has(const std::string& path) {
        return std::ranges::any_of(*files_, [&](const SourceFile& file) { return file.path == path; });
    }
    static void expect(const std::string& path, std::string_view part) {
        EXPECT_NE(text_of(*files_, path).find(part), std::string::npos) << part << "\nnot in\n"
                                                                        << text_of(*files_, path);
    }

    static inline std::vector<SourceFile>* files_ = nullptr;
};

constexpr const char* kConverters = "python/all_types/converters.py";

TEST_F(Graph, OptionalAttributesAreTwo) {
    expect("csrc/proto_optional_attributes.h", ".ATTR(has_");
    expect(kConverters, "is not None)");
}

TEST_F(Graph, ScalarsKeepTheirKind) {
    expect("csrc/proto_plain_attributes.h",
           ".ATTR(scalar_dtype, Type, DT_INT64)\n    .ATTR(scalar, Float, 2)");
    expect(kConverters, "\"scalar_dtype\": attr.DataType(_scalar_dtype(scalar)),");
}

TEST_F(Graph, RequiredAttributesHaveNoDefault) {
    expect("csrc/proto_plain_attributes.h", ".REQUIRED_ATTR(flag, Bool)\n    .REQUIRED_ATTR(number, Int)");
}

TEST_F(Graph, TextsAreQuoted) { expect("csrc/proto_plain_attributes.h", R"(.ATTR(word, String, "a\"b"))"); }

TEST_F(Graph, WrittenInputsAreOutputsOfTheirNames) {
    const std::string& text = text_of(*files_, "csrc/proto_bump_in_place.h");
    const std::size_t input = text.find(".INPUT(");
    ASSERT_NE(input, std::string::npos);
    const std::string name = text.substr(input + 7, text.find(',', input) - input - 7);
    EXPECT_NE(text.find(".OUTPUT(" + name + ","), std::string::npos) << text;
}

TEST_F(Graph, SaysWhyAnOperatorHasNone) {
    expect(kConverters, "torch.ops.all_types.noise.default: \"'generator' draws random numbers");
    expect(kConverters, "torch.ops.all_types.flatten_view.default: \"it is a view");
    expect(kConverters, "torch.ops.all_types.positive.default: \"the size of 'y' depends on values");
    expect(kConverters, "torch.ops.all_types.times.Tensor: \"its kernel is aclnnMul of CANN");
    EXPECT_FALSE(has("csrc/proto_noise.h"));
    EXPECT_FALSE(has("csrc/proto_flatten_view.h"));
}

constexpr const char* kOperator = R"(  - op: npu_twice
    converter: CONVERTER
    input_desc:
      - {name: x, param_type: required, type: [float32]}
    output_desc:
      - {name: y, type: x.dtype, shape: x.shape}
    kernel: [{language: cpp, source: twice.cpp}, {language: compose, formula: x * 2}]
)";

std::vector<SourceFile> with_converter(const std::string& converter) {
    std::string text = kOperator;
    text.replace(text.find("CONVERTER"), 9, converter);
    return render_all(testing::load_spec_text(text));
}

bool has_file(const std::vector<SourceFile>& files, const std::string& path) {
    return std::ranges::any_of(files, [&](const SourceFile& file) { return file.path == path; });
}

TEST(Converter, IsMadeUnlessTheSpecSaysOtherwise) {
    const auto files = with_converter("auto");
    EXPECT_TRUE(has_file(files, "csrc/proto_twice.h"));
    EXPECT_NE(text_of(files, "python/demo/converters.py").find("torch.ops.npu.npu_twice.default"),
              std::string::npos);
    EXPECT_NE(text_of(files, "python/demo/_loader.py").find("_register_converters()"), std::string::npos);
    EXPECT_NE(
        text_of(files, "CMakeLists.txt").find("add_library(cust_opsproto SHARED\n    csrc/proto_twice.cpp"),
        std::string::npos);
}

TEST_F(Graph, AFormulaThatIsTheOnlyKernelIsDecomposed) {
    EXPECT_FALSE(has("csrc/proto_formula.h"));
    EXPECT_EQ(text_of(*files_, kConverters).find("all_types::formula"), std::string::npos);
    expect("python/all_types/_loader.py", "torch.ops.all_types.formula.default,");
}

TEST_F(Graph, AbsentOutputsAreMarked) {
    expect("csrc/proto_several_outputs.cpp", "call.set_absent(\"extra\");");
}

TEST_F(Graph, ConverterFilesBecomeModules) {
    expect("CMakeLists.txt",
           "converters/converted.py\" DESTINATION all_types/converter_files RENAME converters_converted.py)");
    expect(kConverters, "importlib.import_module(f\"all_types.converter_files.{module}\")");
    expect("csrc/proto_converted.h", "REG_OP(Converted)");
}

TEST(Converter, OfADecomposedOperatorIsLeftOut) {
    const auto files = with_converter("decompose");
    EXPECT_FALSE(has_file(files, "csrc/proto_twice.h"));
    EXPECT_FALSE(has_file(files, "python/demo/converters.py"));
    EXPECT_EQ(text_of(files, "python/demo/_loader.py").find("_register_converters"), std::string::npos);
    EXPECT_NE(text_of(files, "python/demo/_loader.py").find("_register_decompositions()"), std::string::npos);
    EXPECT_EQ(text_of(files, "CMakeLists.txt").find("cust_opsproto"), std::string::npos);
}

}  // namespace
}  // namespace opweld::codegen
