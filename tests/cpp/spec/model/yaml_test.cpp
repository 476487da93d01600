// The tree: positions, quoting, recovery.
#include "spec/yaml_tree.h"
#include "support.h"

namespace opweld::spec::test {
namespace {

struct Read {
    Tree tree;
    std::vector<Diagnostic> diagnostics;
};

Read read_text(std::string_view text) {
    Diagnostics out("a.yaml", text);
    Tree tree = read_yaml(text, out);
    return {tree, out.sorted()};
}

const Node& at(const Tree& tree, std::string_view key) { return *tree.root->find(key)->value; }

void expect_position(const Node& node, std::size_t offset, std::size_t line, std::size_t column) {
    EXPECT_EQ(node.position_of(offset).line, line);
    EXPECT_EQ(node.position_of(offset).column, column);
}

TEST(Yaml, PositionsWithinScalars) {
    const Read result = read_text(
        "plain: a + b\n"
        "double: \"a \\\"b\\\" c\"\n"
        "single: 'it''s c'\n"
        "folded: >\n"
        "  one\n"
        "  two\n"
        "literal: |\n"
        "  one\n"
        "   two\n"
        "broken: one\n"
        "  two\n");
    ASSERT_EQ(listed(result.diagnostics), "");
    expect_position(at(result.tree, "plain"), 4, 1, 12);
    expect_position(at(result.tree, "double"), 6, 2, 18);
    EXPECT_EQ(at(result.tree, "single").text, "it's c");
    expect_position(at(result.tree, "single"), 5, 3, 16);
    EXPECT_EQ(at(result.tree, "folded").text, "one two\n");
    expect_position(at(result.tree, "folded"), 4, 6, 3);
    EXPECT_EQ(at(result.tree, "literal").text, "one\n two\n");
    expect_position(at(result.tree, "literal"), 5, 9, 4);
    expect_position(at(result.tree, "broken"), 4, 11, 3);
}

TEST(Yaml, QuotedScalarsAreTexts) {
    const Read result = read_text("a: 1\nb: \"1\"\nc: '1'\nd: null\n");
    EXPECT_FALSE(at(result.tree, "a").quoted);
    EXPECT_TRUE(at(result.tree, "b").quoted);
    EXPECT_TRUE(at(result.tree, "c").quoted);
    EXPECT_TRUE(at(result.tree, "d").is_null());
}

TEST(Yaml, AliasesShareTheirAnchor) {
    const Read result = read_text("a: &x [1, 2]\nb: *x\n");
    EXPECT_EQ(listed(result.diagnostics), "");
    EXPECT_EQ(result.tree.root->find("a")->value, result.tree.root->find("b")->value);
}

TEST(Yaml, WindowsLinesAndByteOrderMark) {
    const Read result = read_text("a: 1\r\nb: 2\r\n");
    EXPECT_EQ(listed(result.diagnostics), "");
    EXPECT_EQ(at(result.tree, "b").at.line, 2U);
    EXPECT_EQ(at(read_text("\xEF\xBB\xBF"
                           "a: 1\n")
                     .tree,
                 "a")
                  .text,
              "1");
}

TEST(Yaml, WhatCameBeforeASyntaxErrorIsKept) {
    const Read result = read_text("ops:\n  - {a: 1}\n  - {b: 2}\n  - {c: [}\n");
    EXPECT_FALSE(result.tree.complete);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].rule, "OW101");
    EXPECT_EQ(result.diagnostics[0].span.at.line, 4U);
    ASSERT_TRUE(result.tree.root);
    EXPECT_EQ(at(result.tree, "ops").items.size(), 2U);
}

TEST(Yaml, EveryTabIsReported) {
    const Read result = read_text("a: 1\n\tb: 2\n\tc: 3\n");
    ASSERT_GE(result.diagnostics.size(), 2U);
    EXPECT_EQ(result.diagnostics[0].rule, "OW105");
    EXPECT_EQ(result.diagnostics[1].rule, "OW105");
    EXPECT_EQ(listed(read_text("a: \"x\ty\"\n").diagnostics), "");
}

TEST(Yaml, DeepNestingEnds) {
    const std::string deep(100'000, '[');
    const Read result = read_text("a: " + deep);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].rule, "OW112");
    Diagnostics out("a.json", deep);
    EXPECT_FALSE(read_json(deep, out).complete);
}

TEST(Json, Positions) {
    const std::string text = "[{\n\t\"a\": \"b\\u00e9c\",\n\t\"n\":[1, 2]}]";
    Diagnostics out("a.json", text);
    const Tree tree = read_json(text, out);
    ASSERT_TRUE(tree.root);
    const Node& map = *tree.root->items.at(0);
    EXPECT_EQ(map.find("a")->at.line, 2U);
    EXPECT_EQ(map.find("a")->at.column, 2U);
    EXPECT_EQ(map.find("n")->value->items.size(), 2U);
}

}  // namespace
}  // namespace opweld::spec::test
