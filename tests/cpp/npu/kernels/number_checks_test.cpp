// What ATen would refuse on the stream is refused in the first phase.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_linalg.h"
#include "tests/cpp/npu/kernels/checks.h"

namespace opweld::npu::aclnn::test {
namespace {

using ::testing::HasSubstr;

// A scalar as a caller gives it.
class Scalar {
  public:
    explicit Scalar(bool value) : scalar_(&value, OPWELD_BOOL) {}
    explicit Scalar(int value) : scalar_(&value, OPWELD_INT32) {}
    explicit Scalar(double value) : scalar_(&value, OPWELD_FLOAT64) {}
    explicit Scalar(std::complex<double> value) : scalar_(&value, OPWELD_COMPLEX128) {}

    operator Number() const { return {"value", &scalar_}; }

  private:
    aclScalar scalar_;
};

std::string stored(const Scalar& value, int32_t dtype) {
    Operands make;
    const Operand self = make("self", {2}, dtype);
    return refusal([&] { check::storable(value, self); });
}

TEST(Storable, TakesWhatTheDtypeHolds) {
    EXPECT_EQ(stored(Scalar(127), OPWELD_INT8), "");
    EXPECT_EQ(stored(Scalar(-255), OPWELD_UINT8), "");
    EXPECT_EQ(stored(Scalar(2.7), OPWELD_INT32), "");
    EXPECT_EQ(stored(Scalar(1e30), OPWELD_BOOL), "");
    EXPECT_EQ(stored(Scalar(INFINITY), OPWELD_FLOAT16), "");
    EXPECT_EQ(stored(Scalar(std::nan("")), OPWELD_FLOAT32), "");
    EXPECT_EQ(stored(Scalar(std::complex<double>(3, 0)), OPWELD_FLOAT32), "");
    EXPECT_EQ(stored(Scalar(std::complex<double>(3, 1)), OPWELD_COMPLEX64), "");
}

TEST(Storable, RefusesOverflow) {
    EXPECT_THAT(stored(Scalar(128), OPWELD_INT8), HasSubstr("'value' is 128, which 'self' can't hold"));
    EXPECT_THAT(stored(Scalar(-256), OPWELD_UINT8), HasSubstr("can't hold"));
    EXPECT_THAT(stored(Scalar(-1.0), OPWELD_UINT8), HasSubstr("can't hold"));
    EXPECT_THAT(stored(Scalar(65520.0), OPWELD_FLOAT16), HasSubstr("ends at -65504 and 65504"));
    EXPECT_THAT(stored(Scalar(1e300), OPWELD_FLOAT32), HasSubstr("can't hold"));
    EXPECT_THAT(stored(Scalar(INFINITY), OPWELD_INT64), HasSubstr("can't hold"));
    EXPECT_THAT(stored(Scalar(std::nan("")), OPWELD_INT32), HasSubstr("can't hold"));
    EXPECT_THAT(stored(Scalar(std::complex<double>(3, 1)), OPWELD_FLOAT32), HasSubstr("holds real numbers"));
}

TEST(Computable, TakesWhatFloat32HoldsFor16Bits) {
    Operands make;
    const Operand half = make("self", {2}, OPWELD_FLOAT16);
    EXPECT_EQ(refusal([&] { check::computable(Scalar(1e6), half); }), "");
    EXPECT_THAT(refusal([&] { check::computable(Scalar(1e300), half); }), HasSubstr("can't hold"));
}

std::string multiplied(const Scalar& alpha, int32_t dtype) {
    Operands make;
    const Operand self = make("self", {2}, dtype);
    return refusal([&] { check::multiplier(alpha, {self}); });
}

TEST(Multiplier, IsAnIntegerForIntegers) {
    EXPECT_EQ(multiplied(Scalar(2), OPWELD_INT32), "");
    EXPECT_EQ(multiplied(Scalar(0.5), OPWELD_FLOAT16), "");
    EXPECT_EQ(multiplied(Scalar(true), OPWELD_BOOL), "");
    EXPECT_THAT(multiplied(Scalar(0.5), OPWELD_INT32), HasSubstr("must not be a floating point number"));
    EXPECT_THAT(multiplied(Scalar(true), OPWELD_INT32), HasSubstr("is a boolean"));
    EXPECT_EQ(multiplied(Scalar(std::complex<double>(0, 1)), OPWELD_COMPLEX64), "");
    EXPECT_THAT(multiplied(Scalar(std::complex<double>(1, 0)), OPWELD_FLOAT32),
                HasSubstr("expected a real one"));
}

TEST(Bounded, NeedsOneLimit) {
    Operands make;
    const Operand out = make("out", {2}, OPWELD_INT32);
    const Number none("max", nullptr);
    EXPECT_EQ(refusal([&] { check::bounded(Scalar(1), none, out); }), "");
    EXPECT_THAT(refusal([&] { check::bounded(none, none, out); }), HasSubstr("both missing"));
    EXPECT_THAT(refusal([&] { check::bounded(none, Scalar(0.5), out); }), HasSubstr("can't be cast"));
    EXPECT_THAT(refusal([&] { check::bounded(Operands::none("min"), Operands::none("max")); }),
                HasSubstr("both missing"));
}

std::string compared(int32_t dtype, std::initializer_list<Number> limits) {
    Operands make;
    const Operand self = make("self", {2}, dtype);
    return refusal([&] { check::comparable(self, limits); });
}

TEST(Comparable, LimitsAreHeldInTheDtypeOfTheComparison) {
    const Number none("max", nullptr);
    EXPECT_EQ(compared(OPWELD_INT8, {Scalar(-128), Scalar(127)}), "");
    EXPECT_EQ(compared(OPWELD_INT8, {Scalar(0.5), Scalar(1000)}), "") << "fractions are compared in float32";
    EXPECT_EQ(compared(OPWELD_FLOAT16, {none, Scalar(INFINITY)}), "");
    EXPECT_EQ(compared(OPWELD_BOOL, {Scalar(true), Scalar(1000)}), "");
    EXPECT_THAT(compared(OPWELD_INT8, {Scalar(0), Scalar(1000)}), HasSubstr("'value' is 1000"));
    EXPECT_THAT(compared(OPWELD_INT8, {none, Scalar(1e300)}), HasSubstr("can't hold"));
    EXPECT_THAT(compared(OPWELD_FLOAT16, {Scalar(1e6), none}), HasSubstr("ends at -65504 and 65504"));
    EXPECT_THAT(compared(OPWELD_BOOL, {Scalar(true), none}), HasSubstr("'self' is bool, expected numbers"));
}

std::string ranged(const Scalar& start, const Scalar& end, const Scalar& step, int64_t size,
                   int32_t dtype = OPWELD_INT64) {
    Operands make;
    const Operand out = make("out", {size}, dtype);
    return refusal([&] { check::ranged(start, end, step, out); });
}

TEST(Ranged, IntegersCountInIntegers) {
    EXPECT_EQ(ranged(Scalar(0), Scalar(3.5), Scalar(1), 3), "");
    EXPECT_EQ(ranged(Scalar(0), Scalar(3.5), Scalar(1), 4, OPWELD_FLOAT32), "");
    EXPECT_EQ(ranged(Scalar(3.5), Scalar(0), Scalar(-1), 3), "");
    EXPECT_EQ(ranged(Scalar(0.9), Scalar(3.1), Scalar(1), 3), "");
    EXPECT_EQ(ranged(Scalar(7), Scalar(7), Scalar(2), 0), "");
    EXPECT_EQ(ranged(Scalar(0), Scalar(7), Scalar(2), 4), "");
    EXPECT_EQ(ranged(Scalar(7), Scalar(0), Scalar(-2), 4), "");
    EXPECT_THAT(ranged(Scalar(0), Scalar(3.5), Scalar(1), 4), HasSubstr("another size than the range, 3"));
    EXPECT_THAT(ranged(Scalar(0), Scalar(1), Scalar(0.3), 4), HasSubstr("is no step for int64 numbers"));
    EXPECT_THAT(ranged(Scalar(0), Scalar(3), Scalar(-1), 3), HasSubstr("is no range"));
    EXPECT_THAT(ranged(Scalar(0), Scalar(INFINITY), Scalar(1), 3), HasSubstr("can't hold"));
    EXPECT_THAT(ranged(Scalar(-9e18), Scalar(9e18), Scalar(9e18), 2),
                HasSubstr("further than int64 reaches"));
}

std::string solved(const std::vector<int64_t>& side, const std::vector<int64_t>& matrix,
                   const std::vector<int64_t>& solution, const std::vector<int64_t>& copy) {
    Operands make;
    const Operand b = make("self", side);
    const Operand a = make("A", matrix);
    const Operand x = make("xOut", solution);
    const Operand m = make("mOut", copy);
    return refusal([&] { check::triangular(b, a, x, m); });
}

TEST(Triangular, BroadcastsBatches) {
    EXPECT_EQ(solved({3, 2}, {3, 3}, {3, 2}, {3, 3}), "");
    EXPECT_EQ(solved({4, 3, 2}, {3, 3}, {4, 3, 2}, {4, 3, 3}), "");
    EXPECT_EQ(solved({5, 1, 3, 2}, {4, 3, 3}, {5, 4, 3, 2}, {5, 4, 3, 3}), "");
    EXPECT_THAT(solved({4, 3, 2}, {5, 3, 3}, {4, 3, 2}, {5, 3, 3}), HasSubstr("don't broadcast"));
    EXPECT_THAT(solved({2, 2}, {3, 3}, {3, 2}, {3, 3}), HasSubstr("has 2 rows, expected 3"));
    EXPECT_THAT(solved({4, 3, 2}, {3, 3}, {4, 3, 2}, {3, 3}), HasSubstr("mOut"));
}

}  // namespace
}  // namespace opweld::npu::aclnn::test
