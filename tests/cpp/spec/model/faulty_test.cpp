// Every file in tests/data/spec/faulty against the list beside it; every rule has one.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "spec/rules.h"
#include "spec/yaml_tree.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

std::vector<std::filesystem::path> faulty_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(data_dir() / "faulty")) {
        if (entry.is_regular_file() && entry.path().extension() != ".expected") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<Diagnostic> diagnose(const std::filesystem::path& file) {
    if (file.string().ends_with(".op_plugin.yaml")) {
        return import_op_plugin(read(file), "v2.3").diagnostics;
    }
    return load_package(file.string()).diagnostics;
}

class Faulty : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Faulty, IsReportedAsExpected) {
    const std::vector<Diagnostic> diagnostics = diagnose(GetParam());
    std::filesystem::path expected = GetParam();
    expected += ".expected";
    EXPECT_EQ(listed(diagnostics), read(expected));
    const std::string rule = GetParam().filename().string().substr(0, 5);
    EXPECT_TRUE(std::any_of(diagnostics.begin(), diagnostics.end(),
                            [&](const Diagnostic& item) { return item.rule == rule; }));
}

TEST_P(Faulty, SaysFileCauseAndFix) {
    const std::vector<Diagnostic> diagnostics = diagnose(GetParam());
    const auto json = nlohmann::json::parse(render_json(diagnostics));
    ASSERT_EQ(json["diagnostics"].size(), diagnostics.size());
    ASSERT_FALSE(diagnostics.empty());
    for (const auto& item : json["diagnostics"]) {
        EXPECT_NE(item["file"], "");
        EXPECT_GE(item["line"], 1);
        EXPECT_GE(item["column"], 1);
        EXPECT_NE(item["message"], "");
        EXPECT_NE(item["cause"], "");
        EXPECT_NE(item["fix"], "");
    }
}

INSTANTIATE_TEST_SUITE_P(Files, Faulty, testing::ValuesIn(faulty_files()), [](const auto& info) {
    std::string name = info.param.filename().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
        '_');
    return name;
});

TEST(FaultyFiles, CoverEveryRule) {
    std::set<std::string> covered = {"OW115"};  // a file that is not there: below
    for (const auto& file : faulty_files()) {
        covered.insert(file.filename().string().substr(0, 5));
    }
    for (const Rule& rule : rules()) {
        if (rule.id.starts_with("OW6")) {
            continue;  // of generation: tests/cpp/codegen
        }
        EXPECT_TRUE(covered.contains(std::string(rule.id))) << rule.id << " " << rule.name;
    }
    EXPECT_GE(faulty_files().size(), 40U);
}

TEST(FaultyFiles, MissingFile) {
    const LoadResult result = load_package((data_dir() / "no_such_spec.yaml").string());
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].rule, "OW115");
    EXPECT_FALSE(result.package);
    EXPECT_EQ(load_package(data_dir().string()).diagnostics[0].rule, "OW115");
}

TEST(FaultyFiles, TooLarge) {
    const std::string text(kMaxFileBytes + 1, '#');
    const LoadResult result = load_text(text, "large.yaml");
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].rule, "OW112");
}

TEST(FaultyFiles, OneFaultDoesNotHideTheOthers) {
    const std::vector<std::string> expected = {"OW206", "OW303", "OW113"};
    EXPECT_EQ(errors("  - op: npu_one\n"
                     "    input_desc: [{name: x, type: flaot32}]\n"
                     "    output_desc: [{name: y, type: float32, shape: x.ndim}]\n"
                     "    autocast: never\n"),
              expected);
}

}  // namespace
}  // namespace opweld::spec::test
