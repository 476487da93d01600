// Text, JSON and SARIF; the JSON Schema.
#include <nlohmann/json.hpp>

#include "spec/keys.h"
#include "spec/rules.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

constexpr std::string_view kFaulty =
    "version: 1\npackage: tested\nops:\n"
    "  - op: npu_one\n"
    "    input_desc: [{name: x}]\n"
    "    output_desc: [{name: y, doc: \"größer\", type: x.dtype, shape: xx.shape}]\n"
    "    autocast: lowr\n";

std::vector<Diagnostic> faults() { return load_text(kFaulty, "a b/spec.yaml").diagnostics; }

TEST(Render, Text) {
    const std::string expected =
        "a b/spec.yaml:6:66: error[OW302]: nothing here is called 'xx'\n"
        "     6 |     output_desc: [{name: y, doc: \"größer\", type: x.dtype, shape: xx.shape}]\n"
        "       |                                                                  ^~\n";
    const std::string text = render_text(faults());
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    EXPECT_NE(text.find("  hint: did you mean 'lower'?\n"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(render_text(faults(), {true, true}).find("\x1b[1;31merror[OW302]\x1b[0m"), std::string::npos);
}

TEST(Render, NotesCanBeLeftOut) {
    const LoadResult result = load_ops(
        "  - op: npu_one\n    input_desc: [{name: x, type: float32}]\n"
        "    output_desc: [{name: y, type: x.dtype, shape: x.shape}]\n    kernel: []\n");
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].rule, "OW407");
    EXPECT_EQ(render_text(result.diagnostics, {false, false}), "");
}

TEST(Render, Summary) {
    EXPECT_EQ(render_summary({}, 1), "no faults in 1 file");
    EXPECT_EQ(render_summary(faults(), 2), "2 errors, 1 warning in 2 files");
}

TEST(Render, Json) {
    const auto json = nlohmann::json::parse(render_json(faults()));
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["summary"]["errors"], 2);
    EXPECT_EQ(json["summary"]["warnings"], 1);
    const auto& first = json["diagnostics"][1];
    EXPECT_EQ(first["rule"], "OW302");
    EXPECT_EQ(first["line"], 6);
    EXPECT_EQ(first["column"], 66);  // characters, not bytes
    EXPECT_EQ(first["end_column"], 68);
    EXPECT_EQ(first["cause"], find_rule("OW302")->cause);
}

TEST(Render, Sarif) {
    const auto sarif = nlohmann::json::parse(render_sarif(faults()));
    EXPECT_EQ(sarif["version"], "2.1.0");
    const auto& run = sarif["runs"][0];
    EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
    EXPECT_EQ(run["tool"]["driver"]["name"], "opweld");
    ASSERT_EQ(run["results"].size(), 3U);
    for (const auto& result : run["results"]) {
        const auto& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()];
        EXPECT_EQ(rule["id"], result["ruleId"]);
        const auto& location = result["locations"][0]["physicalLocation"];
        EXPECT_EQ(location["artifactLocation"]["uri"], "a%20b/spec.yaml");
        EXPECT_GT(location["region"]["endColumn"], location["region"]["startColumn"]);
    }
    EXPECT_EQ(nlohmann::json::parse(render_sarif({}))["runs"][0]["results"].size(), 0U);
}

TEST(Render, ControlCharactersDoNotReachTheTerminal) {
    const LoadResult result = load_ops("  - op: npu_one\n    autocast: \"\\e[31m\"\n    doc: \x1b[31m\n");
    EXPECT_EQ(render_text(result.diagnostics).find('\x1b'), std::string::npos);
    const LoadResult escaped = load_ops("  - op: npu_one\n    autocast: \"\\e[31m\"\n");
    EXPECT_EQ(render_text(escaped.diagnostics).find('\x1b'), std::string::npos);
    EXPECT_NE(listed(escaped.diagnostics).find("'autocast' can't be '?[31m'"), std::string::npos);
}

TEST(Render, InvalidUtf8DoesNotBreakReports) {
    const LoadResult result = load_text("a: \xff\n", "x.yaml");
    const std::string text = render_text(result.diagnostics);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
    EXPECT_NE(text.find("a: \xEF\xBF\xBD\n"), std::string::npos) << text;
    EXPECT_EQ(nlohmann::json::parse(render_json(result.diagnostics))["diagnostics"][0]["rule"], "OW110");
    EXPECT_EQ(nlohmann::json::parse(render_sarif(result.diagnostics))["runs"][0]["results"].size(), 1U);
}

TEST(CheckFiles, CountsAndExitCodes) {
    const std::string good = (data_dir() / "good" / "custom_linear.yaml").string();
    const std::string warned = (data_dir() / "faulty" / "OW410_no_kernel.yaml").string();
    const std::string faulty = (data_dir() / "faulty" / "OW220_existing.yaml").string();
    EXPECT_EQ(check_files({good}).exit_code(true), 0);
    EXPECT_EQ(check_files({good, warned}).exit_code(false), 0);
    EXPECT_EQ(check_files({good, warned}).exit_code(true), 1);
    const CheckResult result = check_files({faulty, good, warned});
    EXPECT_EQ(result.exit_code(false), 1);
    EXPECT_EQ(result.files, 3U);
    EXPECT_EQ(result.errors, 1U);
    EXPECT_EQ(result.warnings, 1U);
}

TEST(JsonSchema, HasEveryKey) {
    const auto schema = nlohmann::json::parse(json_schema());
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    const auto& op = schema["properties"]["ops"]["items"];
    for (const KeyInfo& key : operator_keys().keys) {
        ASSERT_TRUE(op["properties"].contains(key.name)) << key.name;
        EXPECT_EQ(op["properties"][std::string(key.name)]["description"], key.doc);
    }
    EXPECT_EQ(op["additionalProperties"], false);
    EXPECT_EQ(op["required"], nlohmann::json::array({"op"}));
    const auto& input = op["properties"]["input_desc"]["items"]["properties"];
    EXPECT_EQ(input["param_type"]["enum"], (nlohmann::json::array({"required", "optional", "dynamic"})));
}

}  // namespace
}  // namespace opweld::spec::test
