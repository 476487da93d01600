// YAML to model to YAML to model.
#include "spec/writer.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

void round_trip(const std::string& file) {
    const std::filesystem::path path = data_dir() / "good" / file;
    const LoadResult first = load_package(path.string());
    ASSERT_TRUE(first.package) << listed(first.diagnostics);
    const std::string written = write_yaml(*first.package);
    const LoadResult second = load_text(written, "written.yaml", {}, path.parent_path().string());
    ASSERT_TRUE(second.package) << listed(second.diagnostics) << written;
    EXPECT_EQ(model_json(*second.package), model_json(*first.package));
    EXPECT_EQ(write_yaml(*second.package), written);
    EXPECT_NE(model_json(*first.package, true), model_json(*first.package, false));
}

TEST(RoundTrip, Tutorial) { round_trip("custom_linear.yaml"); }
TEST(RoundTrip, Everything) { round_trip("everything.yaml"); }

TEST(Writer, PrototypesAreWrittenAsDifferences) {
    const LoadResult loaded = load_package((data_dir() / "good" / "custom_linear.yaml").string());
    const std::string written = write_yaml(*loaded.package);
    const std::string expected =
        "  - op: npu_custom_linear_with_bias\n"
        "    prototype_of: npu_custom_linear\n"
        "    bind: {use_bias: true}\n"
        "    input_desc:\n"
        "      - {name: bias, param_type: required, type: [float32, float16, bfloat16], format: [ND]}\n\n";
    EXPECT_NE(written.find(expected), std::string::npos) << written;
}

TEST(Writer, Scalars) {
    EXPECT_EQ(yaml_scalar("plain_word.x/y"), "plain_word.x/y");
    EXPECT_EQ(yaml_scalar(""), "\"\"");
    EXPECT_EQ(yaml_scalar("true"), "\"true\"");
    EXPECT_EQ(yaml_scalar("12"), "\"12\"");
    EXPECT_EQ(yaml_scalar("a: b"), "\"a: b\"");
    EXPECT_EQ(yaml_scalar("a\"\\\n\t"), "\"a\\\"\\\\\\n\\t\"");
}

}  // namespace
}  // namespace opweld::spec::test
