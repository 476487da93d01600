#include "npu/runtime/utf8.h"

#include <gtest/gtest.h>

namespace opweld::npu {
namespace {

TEST(Utf8, KeepsWhatIsRight) {
    for (const char* text : {"", "plain", "\xC3\xA4 \xE4\xB8\xAD \xF0\x9F\x98\x80",
                             "\xED\x9F\xBF\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_EQ(valid_utf8(text), text);
    }
}

TEST(Utf8, ReplacesWhatIsWrong) {
    const std::string mark = "\xEF\xBF\xBD";
    EXPECT_EQ(valid_utf8("a\xFFz"), "a" + mark + "z");
    EXPECT_EQ(valid_utf8("\xC3"), mark);
    EXPECT_EQ(valid_utf8("\xE4\xB8"), mark + mark);
    EXPECT_EQ(valid_utf8("\xC0\x80"), mark + mark) << "not the shortest form";
    EXPECT_EQ(valid_utf8("\xED\xA0\x80"), mark + mark + mark) << "a surrogate";
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark) << "beyond Unicode";
    EXPECT_EQ(valid_utf8("\x80"), mark);
}

}  // namespace
}  // namespace opweld::npu
