#include "graph/ascend_string.h"

#include <gtest/gtest.h>

#include <map>

namespace {

using ge::AscendString;

TEST(AscendString, HoldsItsText) {
    static_assert(sizeof(AscendString) == 16);
    EXPECT_STREQ(AscendString("ge.exec").GetString(), "ge.exec");
    EXPECT_EQ(AscendString("ge.exec", 2).GetLength(), 2U);
    EXPECT_EQ(AscendString("ge.exec").Find("exec"), 3U);
    EXPECT_EQ(AscendString("ge.exec").Find("none"), std::string::npos);
}

TEST(AscendString, IsEmptyWithoutText) {
    EXPECT_STREQ(AscendString().GetString(), "");
    EXPECT_STREQ(AscendString(nullptr).GetString(), "");
    EXPECT_EQ(AscendString().GetLength(), 0U);
    EXPECT_EQ(AscendString(), AscendString(""));
}

TEST(AscendString, IsOrderedByItsText) {
    const AscendString a("a");
    const AscendString b("b");
    EXPECT_TRUE(a < b);
    EXPECT_TRUE(a <= a);
    EXPECT_TRUE(b > a);
    EXPECT_TRUE(b >= b);
    EXPECT_TRUE(a != b);
    EXPECT_TRUE(AscendString() < a);
    const std::map<AscendString, int> options = {{a, 1}, {b, 2}};
    EXPECT_EQ(options.at("b"), 2);
}

}  // namespace
