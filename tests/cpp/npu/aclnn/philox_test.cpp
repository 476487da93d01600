#include "npu/kernels/philox.h"

#include <gtest/gtest.h>

namespace opweld::npu::kernels {
namespace {

// The known answers that Random123 publishes for philox4x32 with 10 rounds.
TEST(Philox, GivesTheKnownAnswers) {
    EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr uint32_t kOnes = 0xffffffff;
    EXPECT_EQ(philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              (Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SeedOffsetAndBlockAllCount) {
    const Philox4 base = random_block({1, 2}, 3);
    EXPECT_NE(base, random_block({2, 2}, 3));
    EXPECT_NE(base, random_block({1, 6}, 3));
    EXPECT_NE(base, random_block({1, 2}, 4));
    EXPECT_EQ(base, random_block({1, 2}, 3));
}

}  // namespace
}  // namespace opweld::npu::kernels
