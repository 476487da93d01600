#include "codegen/text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace opweld::codegen {
namespace {

TEST(Fill, ReplacesNamesInALine) {
    EXPECT_EQ(fill("int @name@() { return @value@; }\n", {{"name", "f"}, {"value", "3"}}),
              "int f() { return 3; }\n");
}

TEST(Fill, IndentsAFieldThatHasTheLineToItself) {
    EXPECT_EQ(fill("{\n    @body@\n}\n", {{"body", "a;\n\nb;\n"}}), "{\n    a;\n\n    b;\n}\n");
}

TEST(Fill, DropsTheLineOfAnEmptyField) { EXPECT_EQ(fill("a\n    @body@\nb\n", {{"body", ""}}), "a\nb\n"); }

TEST(Fill, LeavesOtherAtSignsAlone) {
    EXPECT_EQ(fill("@pytest.mark @ a@b\n@property\n", {}), "@pytest.mark @ a@b\n@property\n");
}

TEST(Fill, DoesNotFillTheFieldsThemselves) {
    EXPECT_EQ(fill("@a@ @b@", {{"a", "@b@"}, {"b", "x"}}), "@b@ x");
}

TEST(Fill, RefusesAnUnknownName) { EXPECT_THROW(fill("@nothing@", {}), std::logic_error); }

TEST(Wrap, KeepsShortCallsOnALine) { EXPECT_EQ(wrap("f(", {"a", "b"}, ");"), "f(a, b);"); }

TEST(Wrap, BreaksLongCallsBehindTheBracket) {
    const std::string item(60, 'x');
    EXPECT_EQ(wrap("f(", {item, item}, ");"), "f(" + item + ",\n  " + item + ");");
}

TEST(Wrap, IndentsByEightWhereTheHeadIsLong) {
    const std::string head = std::string(70, 'f') + "(";
    const std::string item(60, 'x');
    EXPECT_EQ(wrap(head, {item}, ");"), head + "\n        " + item + ");");
}

TEST(Names, ChangeTheirCase) {
    EXPECT_EQ(camel_case("npu_custom_linear"), "NpuCustomLinear");
    EXPECT_EQ(snake_case("CustomLinear"), "custom_linear");
    EXPECT_EQ(snake_case("IFMRHead2D"), "ifmr_head2_d");
    EXPECT_EQ(snake_case("aclnnAdd"), "aclnn_add");
}

TEST(Strings, AreEscapedForTheirLanguage) {
    EXPECT_EQ(cpp_string("a\"b\\c\n\x01?"), "\"a\\\"b\\\\c\\n\\001?\"");
    EXPECT_EQ(cpp_string("what?"
                         "?!"),
              "\"what?\\?!\"");
    EXPECT_EQ(python_string("a\"b\x01"), "\"a\\\"b\\x01\"");
}

TEST(Paragraph, BreaksAtSpacesAndKeepsEmptyLines) {
    EXPECT_EQ(paragraph("one two three\n\nfour", "// ", 12), "// one two\n// three\n//\n// four\n");
}

}  // namespace
}  // namespace opweld::codegen
