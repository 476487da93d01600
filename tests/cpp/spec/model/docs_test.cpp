// docs/rules is what the rule table says; docs/spec.md names every key; the table is in order.
#include <set>

#include "spec/keys.h"
#include "spec/rules.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

TEST(Rules, AreInOrderAndComplete) {
    std::string_view last;
    std::set<std::string_view> names;
    for (const Rule& rule : rules()) {
        EXPECT_LT(last, rule.id);
        EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
        EXPECT_FALSE(rule.explanation.empty()) << rule.id;
        EXPECT_FALSE(rule.cause.empty()) << rule.id;
        EXPECT_FALSE(rule.fix.empty()) << rule.id;
        EXPECT_FALSE(rule_group(rule.id).empty()) << rule.id;
        EXPECT_EQ(find_rule(rule.id), &rule);
        last = rule.id;
    }
    EXPECT_EQ(find_rule("OW000"), nullptr);
    EXPECT_EQ(find_rule(""), nullptr);
}

TEST(Rules, PagesAreInStep) {
    const std::filesystem::path pages = source_dir() / "docs" / "rules";
    std::set<std::string> expected = {"README.md"};
    for (const Rule& rule : rules()) {
        const std::string file = std::string(rule.id) + ".md";
        expected.insert(file);
        EXPECT_EQ(read(pages / file), rule_markdown(rule)) << file;
    }
    EXPECT_EQ(read(pages / "README.md"), rule_index_markdown());
    for (const auto& entry : std::filesystem::directory_iterator(pages)) {
        const std::string name = entry.path().filename().string();
        if (name == "doctor.md" || (name.starts_with("OW") && name > "OW7")) {
            continue;  // the doctor's, which has a table and a test of its own
        }
        EXPECT_TRUE(expected.contains(name)) << entry.path();
    }
}

TEST(Docs, NameEveryKey) {
    const std::string page = read(source_dir() / "docs" / "spec.md");
    for (const KeyTable* table : {&package_keys(), &operator_keys(), &input_keys(), &attr_keys(),
                                  &output_keys(), &constraint_keys(), &backward_keys(), &kernel_keys()}) {
        for (const KeyInfo& key : table->keys) {
            EXPECT_NE(page.find("`" + std::string(key.name) + "`"), std::string::npos)
                << table->what << ": " << key.name;
        }
    }
}

}  // namespace
}  // namespace opweld::spec::test
