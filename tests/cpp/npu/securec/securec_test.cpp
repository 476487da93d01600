#include "npu/securec/securec.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

TEST(StrcpyS, CopiesWhatFits) {
    char text[4] = "xyz";
    EXPECT_EQ(strcpy_s(text, sizeof text, "abc"), 0);
    EXPECT_STREQ(text, "abc");
}

TEST(StrcpyS, EmptiesTheDestinationWhenTheSourceDoesNotFit) {
    char text[4] = "xyz";
    EXPECT_EQ(strcpy_s(text, sizeof text, "abcd"), 162);
    EXPECT_STREQ(text, "");
}

TEST(StrcpyS, RefusesNullAndImpossibleSizes) {
    char text[4] = "xyz";
    EXPECT_EQ(strcpy_s(nullptr, 4, "abc"), 22);
    EXPECT_EQ(strcpy_s(text, 0, "abc"), 34);
    EXPECT_EQ(strcpy_s(text, SIZE_MAX, "abc"), 34);
    EXPECT_STREQ(text, "xyz");
    EXPECT_EQ(strcpy_s(text, sizeof text, nullptr), 150);
    EXPECT_STREQ(text, "");
}

TEST(SnprintfS, PrintsAndCounts) {
    char text[8];
    EXPECT_EQ(snprintf_s(text, sizeof text, sizeof text - 1, "%d-%s", 7, "ab"), 4);
    EXPECT_STREQ(text, "7-ab");
}

TEST(SnprintfS, KeepsTheBeginningWhenCountIsTooSmall) {
    char text[8];
    EXPECT_EQ(snprintf_s(text, sizeof text, 3, "%s", "abcdef"), -1);
    EXPECT_STREQ(text, "abc");
}

TEST(SnprintfS, EmptiesTheDestinationWhenItIsTooSmall) {
    char text[4];
    EXPECT_EQ(snprintf_s(text, sizeof text, 100, "%s", "abcdef"), -1);
    EXPECT_STREQ(text, "");
    EXPECT_EQ(snprintf_s(nullptr, 4, 3, "%s", "a"), -1);
    EXPECT_EQ(snprintf_s(text, 0, 3, "%s", "a"), -1);
}

}  // namespace
