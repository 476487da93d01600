#include <gtest/gtest.h>

#include <cmath>

#include "npu/aclnn/objects/half.h"

namespace opweld::npu::aclnn {
namespace {

TEST(Half, ConvertsEveryKindOfNumber) {
    EXPECT_EQ(float16_to_float(0x3c00), 1.0F);
    EXPECT_EQ(float16_to_float(0xc000), -2.0F);
    EXPECT_EQ(float16_to_float(0x7bff), 65504.0F);
    EXPECT_EQ(float16_to_float(0x0001), std::ldexp(1.0F, -24));
    EXPECT_EQ(float16_to_float(0x8000), -0.0F);
    EXPECT_TRUE(std::isinf(float16_to_float(0x7c00)));
    EXPECT_TRUE(std::isnan(float16_to_float(0x7e00)));
    EXPECT_EQ(bfloat16_to_float(0x3f80), 1.0F);
    EXPECT_EQ(bfloat16_to_float(0xc040), -3.0F);
}

}  // namespace
}  // namespace opweld::npu::aclnn
