// Type promotion without torch. tests/cpp/spec/expr/generate_cases.cpp writes the comparison with torch
// itself.
#include <gtest/gtest.h>

#include <string>

#include "opweld/expr/host.h"

namespace opweld::expr {
namespace {

DType of(const char* name) { return dtype_from_name(name).value(); }

TEST(Promotion, FollowsPyTorchsExamples) {
    // Those of the page on tensor attributes.
    const std::vector<std::int64_t> vector{5};
    const std::vector<std::int64_t> scalar;
    const auto tensor = [&](const char* name, bool zero_dim = false) {
        return host::Tensor{zero_dim ? scalar : vector, of(name)};
    };
    EXPECT_EQ(host::promote(tensor("int32"), 5), of("int32"));
    EXPECT_EQ(host::promote(tensor("float32"), tensor("int64", true)), of("float32"));
    EXPECT_EQ(host::promote(tensor("bool"), tensor("int64", true)), of("int64"));
    EXPECT_EQ(host::promote(tensor("uint8"), tensor("int64", true)), of("uint8"));
    EXPECT_EQ(host::promote(tensor("int64"), 0.5), of("float32"));
    EXPECT_EQ(host::promote(tensor("float16"), tensor("float64", true)), of("float16"));
    EXPECT_EQ(host::promote(tensor("float16"), tensor("complex128", true)), of("complex32"));
    EXPECT_EQ(host::promote(tensor("float16", true), tensor("float64", true)), of("float64"));
    EXPECT_EQ(host::promote(true, 1), of("int64"));
}

TEST(Promotion, IsSymmetricAndRefusesWhatPyTorchRefuses) {
    std::size_t refused = 0;
    for (const DTypeInfo& a : dtype_table) {
        EXPECT_EQ(host::promote(a.dtype, a.dtype), a.dtype);
        for (const DTypeInfo& b : dtype_table) {
            std::optional<DType> ab;
            std::optional<DType> ba;
            try {
                ab = host::promote(a.dtype, b.dtype);
            } catch (const Error&) {
                ++refused;
            }
            try {
                ba = host::promote(b.dtype, a.dtype);
            } catch (const Error&) {
            }
            EXPECT_EQ(ab, ba) << a.name << ' ' << b.name;
        }
    }
    EXPECT_THROW(host::promote(of("uint16"), of("int32")), Error);
    EXPECT_THROW(host::promote(of("float8_e5m2"), of("float32")), Error);
    EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace opweld::expr
