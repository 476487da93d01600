// The generated files of the tutorial's spec, as they stand under tests/data/codegen. After a change that is
// meant: OPWELD_UPDATE_GOLDEN=1 codegen_tests --gtest_filter=Golden.*, then look at the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "support.h"

namespace opweld::codegen {
namespace {

namespace fs = std::filesystem;

TEST(Golden, CustomLinear) {
    const fs::path folder = testing::source_directory() / "tests/data/codegen/custom_linear";
    const auto files = testing::render_all(testing::load("examples/custom_linear/spec.yaml"));
    std::set<fs::path> names;
    for (const SourceFile& file : files) {
        // A suffix keeps other tools (ruff, pytest, clang-format) away from the copies.
        fs::path path = folder / file.path;
        path += ".golden";
        names.insert(path);
        if (std::getenv("OPWELD_UPDATE_GOLDEN") != nullptr) {
            fs::create_directories(path.parent_path());
            std::ofstream(path, std::ios::binary) << file.text;
        }
        ASSERT_TRUE(fs::exists(path)) << path;
        EXPECT_EQ(testing::read_file(path), file.text) << path;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        EXPECT_TRUE(entry.is_directory() || names.contains(entry.path()))
            << entry.path() << " is no longer generated";
    }
}

TEST(Golden, IsTheSameEveryTime) {
    for (const char* path : {"examples/custom_linear/spec.yaml", "tests/data/spec/good/all_types.yaml"}) {
        const auto first = testing::render_all(testing::load(path));
        const auto second = testing::render_all(testing::load(path));
        ASSERT_EQ(first.size(), second.size());
        for (size_t i = 0; i < first.size(); ++i) {
            EXPECT_EQ(first[i].path, second[i].path);
            EXPECT_EQ(first[i].text, second[i].text) << first[i].path;
        }
    }
}

TEST(Golden, NoAbsolutePathAndNoTrailingSpace) {
    for (const SourceFile& file : testing::render_all(testing::load("tests/data/spec/good/all_types.yaml"))) {
        EXPECT_EQ(file.text.find(testing::source_directory().string()), std::string::npos) << file.path;
        EXPECT_EQ(file.text.find(" \n"), std::string::npos) << file.path;
        EXPECT_EQ(file.text.find("\n\n\n\n"), std::string::npos) << file.path;
        EXPECT_TRUE(file.text.ends_with("\n") && !file.text.ends_with("\n\n")) << file.path;
    }
}

}  // namespace
}  // namespace opweld::codegen
