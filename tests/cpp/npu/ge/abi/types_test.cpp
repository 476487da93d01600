#include "npu/ge/abi/types.h"

#include <gtest/gtest.h>

namespace {

using namespace opweld::npu::prototypes;

TEST(Types, AreFoundByTheirNames) {
    for (int number = 0; number < ge::DT_MAX; ++number) {
        const auto dtype = static_cast<ge::DataType>(number);
        if (name(dtype) != "unknown type") {
            EXPECT_EQ(data_type(name(dtype)), dtype);
        }
    }
    EXPECT_EQ(data_type("DT_BF16"), ge::DT_BF16);
    EXPECT_EQ(data_type("DT_NONE"), std::nullopt);
}

TEST(Types, OfNoNumberHaveNoSize) {
    for (const int number : {-1, 5, static_cast<int>(ge::DT_MAX), 1000000}) {
        EXPECT_EQ(name(static_cast<ge::DataType>(number)), "unknown type");
        EXPECT_EQ(bits(static_cast<ge::DataType>(number)), 0);
    }
    EXPECT_EQ(bits(ge::DT_INT64), 64);
    EXPECT_EQ(bits(ge::DT_INT4), 4);
}

TEST(Formats, HaveNames) {
    EXPECT_STREQ(ge::GetFormatName(ge::FORMAT_ND), "ND");
    EXPECT_STREQ(ge::GetFormatName(ge::FORMAT_FRACTAL_NZ), "FRACTAL_NZ");
    EXPECT_STREQ(ge::GetFormatName(ge::FORMAT_NCL), "NCL");
    EXPECT_STREQ(ge::GetFormatName(ge::FORMAT_FRACTAL_NZ_C0_8), "FRACTAL_NZ_C0_8");
    EXPECT_STREQ(ge::GetFormatName(static_cast<ge::Format>(ge::FORMAT_NCHW | 0x500)), "NCHW");
}

TEST(Formats, OfNoNumberAreUnknown) {
    EXPECT_STREQ(ge::GetFormatName(static_cast<ge::Format>(-1)), "UNKNOWN");
    EXPECT_STREQ(ge::GetFormatName(ge::FORMAT_MAX), "UNKNOWN");
}

}  // namespace
