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
