// What ATen would refuse on the stream for dtypes and shapes is refused in the first phase.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "npu/aclnn/call/check_arithmetic.h"
#include "npu/aclnn/call/check_dtype.h"
#include "npu/aclnn/call/check_fill.h"
#include "npu/aclnn/call/check_piecewise_activation.h"
#include "npu/aclnn/call/check_pooling.h"
#include "npu/aclnn/call/check_rearranging.h"
#include "tests/cpp/npu/kernels/checks.h"

namespace opweld::npu::aclnn::test {
namespace {

using ::testing::HasSubstr;

TEST(Countable, NeedsOneThatIsNoBoolean) {
    Operands make;
    const Operand flags = make("self", {2}, OPWELD_BOOL);
    const Operand numbers = make("other", {2}, OPWELD_INT8);
    const bool value = true;
    const aclScalar flag(&value, OPWELD_BOOL);
    EXPECT_EQ(refusal([&] { check::countable({flags, numbers}); }), "");
    EXPECT_EQ(refusal([&] { check::countable({numbers}, Number("other", &flag)); }), "");
    EXPECT_THAT(refusal([&] { check::countable({flags, flags}); }), HasSubstr("'self' is bool"));
    EXPECT_THAT(refusal([&] { check::countable({flags}, Number("other", &flag)); }),
                HasSubstr("expected numbers"));
}

TEST(Subtractable, NoInputIsBoolean) {
    Operands make;
    const Operand flags = make("other", {2}, OPWELD_BOOL);
    const Operand numbers = make("self", {2}, OPWELD_INT8);
    const bool value = true;
    const aclScalar flag(&value, OPWELD_BOOL);
    EXPECT_EQ(refusal([&] { check::subtractable("Sub", {numbers, numbers}); }), "");
    EXPECT_EQ(refusal([&] { check::subtractable("Add", {numbers, flags}); }), "");
    EXPECT_THAT(refusal([&] { check::subtractable("Sub", {numbers, flags}); }), HasSubstr("logical_xor"));
    EXPECT_THAT(refusal([&] { check::subtractable("Sub", {numbers}, Number("other", &flag)); }),
                HasSubstr("'other' is bool"));
    EXPECT_THAT(refusal([&] { check::subtractable("Neg", {flags}); }), HasSubstr("logical_not"));
}

TEST(Quotient, ComplexNumbersAreNotRounded) {
    Operands make;
    const Operand out = make("out", {2}, OPWELD_COMPLEX64);
    EXPECT_EQ(refusal([&] { check::quotient(0, out); }), "");
    EXPECT_EQ(refusal([&] { check::quotient(1, make("out", {2})); }), "");
    EXPECT_THAT(refusal([&] { check::quotient(1, out); }), HasSubstr("'mode' is 1"));
}

TEST(Power, ExponentsHaveTheDtypeOfIntegers) {
    Operands make;
    const auto raised = [&](int64_t exponent, int32_t dtype) {
        const aclScalar scalar(&exponent, OPWELD_INT64);
        return refusal([&] { check::power(make("self", {2}, dtype), Number("exponent", &scalar)); });
    };
    EXPECT_EQ(raised(100, OPWELD_INT8), "");
    EXPECT_EQ(raised(-1, OPWELD_FLOAT32), "");
    EXPECT_THAT(raised(-1, OPWELD_INT8), HasSubstr("no negative integer powers"));
    EXPECT_THAT(raised(300, OPWELD_INT8), HasSubstr("can't hold"));
}

TEST(SomeFloating, NeedsOneAmongTheInputs) {
    Operands make;
    const Operand integers = make("self", {2}, OPWELD_INT64);
    EXPECT_EQ(refusal([&] { check::some_floating({integers, make("other", {2}, OPWELD_FLOAT16)}); }), "");
    EXPECT_THAT(refusal([&] { check::some_floating({integers, integers}); }), HasSubstr("'self' is int64"));
}

TEST(HasDtype, ComparesWithTheArgument) {
    Operands make;
    const Operand out = make("out", {2}, OPWELD_INT8);
    EXPECT_EQ(refusal([&] { check::has_dtype(out, OPWELD_INT8); }), "");
    EXPECT_THAT(refusal([&] { check::has_dtype(out, OPWELD_INT64); }),
                HasSubstr("'out' has dtype int8, but argument 'dtype' is int64"));
}

TEST(ComplexOf, KeepsTheWidth) {
    Operands make;
    const Operand part = make("real", {2}, OPWELD_FLOAT64);
    EXPECT_EQ(refusal([&] { check::complex_of(part, make("out", {2}, OPWELD_COMPLEX128)); }), "");
    EXPECT_THAT(refusal([&] { check::complex_of(part, make("out", {2}, OPWELD_COMPLEX64)); }),
                HasSubstr("expected complex128"));
}

TEST(HasDiagonal, NeedsOneSizeForMoreThanTwoDimensions) {
    Operands make;
    EXPECT_EQ(refusal([&] { check::has_diagonal(make("self", {2, 5})); }), "");
    EXPECT_EQ(refusal([&] { check::has_diagonal(make("self", {3, 3, 3})); }), "");
    EXPECT_THAT(refusal([&] { check::has_diagonal(make("self", {3, 3, 4})); }), HasSubstr("[3, 3, 4]"));
    EXPECT_NE(refusal([&] { check::has_diagonal(make("self", {3})); }), "");
}

std::string limited(double value, int32_t dtype) {
    Operands make;
    const aclScalar scalar(&value, OPWELD_FLOAT64);
    return refusal([&] { check::limit(Number("min", &scalar), make("self", {2}, dtype)); });
}

TEST(Limit, LosesItsFractionForIntegers) {
    EXPECT_EQ(limited(-0.5, OPWELD_UINT8), "");
    EXPECT_EQ(limited(127.9, OPWELD_INT8), "");
    EXPECT_EQ(limited(-1e30, OPWELD_FLOAT32), "");
    EXPECT_THAT(limited(-1.5, OPWELD_UINT8), HasSubstr("'min' is -1, expected at least 0"));
    EXPECT_THAT(limited(128.0, OPWELD_INT8), HasSubstr("can't hold"));
}

TEST(Triple, HasThreeNumbers) {
    EXPECT_EQ(refusal([] { check::triple("stride", std::array<int64_t, 3>{1, 2, 3}, 1); }), "");
    EXPECT_THAT(refusal([] { check::triple("stride", std::array<int64_t, 2>{1, 2}, 1); }),
                HasSubstr("'stride' is [1, 2], expected 3 numbers from 1"));
    EXPECT_NE(refusal([] { check::triple("stride", std::array<int64_t, 3>{1, 0, 3}, 1); }), "");
}

TEST(Unfolded, HasAPlaceForEachSlice) {
    Operands make;
    const Operand out = make("out", {7, 2});
    EXPECT_EQ(refusal([&] { check::unfolded(make("grad", {3, 2, 3}), out, 0, 3, 2); }), "");
    EXPECT_EQ(refusal([&] { check::unfolded(make("grad", {1}), make("out", {}), 0, 1, 1); }), "");
    EXPECT_THAT(refusal([&] { check::unfolded(make("grad", {4, 2, 3}), out, 0, 3, 2); }),
                HasSubstr("[3, 2, 3]"));
    EXPECT_THAT(refusal([&] { check::unfolded(make("grad", {1, 2, 8}), out, 0, 8, 2); }),
                HasSubstr("'size' is 8, expected at most 7"));
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
