#include <gtest/gtest.h>

#include <string>

#include "npu/aclop/acl_op.h"
#include "tests/cpp/npu/aclop/message.h"

namespace {

constexpr int kJitCompile = 10;
constexpr int kDeterministic = 11;
constexpr int kDebugOption = 16;

std::string option(int number) {
    std::string text(aclGetCompileoptSize(number), '?');
    EXPECT_EQ(aclGetCompileopt(number, text.data(), text.size()), 0);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
}

TEST(CompileOptions, JitCompileIsDisabledAtFirst) { EXPECT_EQ(option(kJitCompile), "disable"); }

TEST(CompileOptions, UnsetOnesAreEmpty) { EXPECT_EQ(option(kDebugOption), ""); }

TEST(CompileOptions, KeepWhatIsSet) {
    ASSERT_EQ(aclSetCompileopt(kDeterministic, "1"), 0);
    EXPECT_EQ(option(kDeterministic), "1");
    ASSERT_EQ(aclSetCompileopt(kDeterministic, "0"), 0);
    EXPECT_EQ(option(kDeterministic), "0");
}

TEST(CompileOptions, UnknownNumbersAreRefused) {
    for (const int number : {-1, 17}) {
        EXPECT_EQ(aclSetCompileopt(number, "1"), 100000);
        EXPECT_TRUE(message_has("compile option " + std::to_string(number) + " does not exist"));
        EXPECT_EQ(aclGetCompileoptSize(number), 0U);
    }
}

TEST(CompileOptions, AShortBufferIsRefusedUntouched) {
    char text[4] = "xyz";
    EXPECT_EQ(aclGetCompileopt(kJitCompile, text, sizeof text), 100000);
    EXPECT_TRUE(message_has("needs 8 bytes, 4 were given"));
    EXPECT_STREQ(text, "xyz");
}

TEST(CompileOptions, NullIsRefusedByName) {
    EXPECT_EQ(aclSetCompileopt(kDeterministic, nullptr), 100000);
    EXPECT_TRUE(message_has("aclSetCompileopt: argument `value` is a null pointer"));
}

}  // namespace
