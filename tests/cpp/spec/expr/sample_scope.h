// A scope with a name of every type, and sets of values for it.
#pragma once

#include <cstddef>

#include "spec/expr/value.h"

namespace opweld::spec::expr {

inline Scope sample_scope() {
    return {
        {"x", Type::tensor()},
        {"w", Type::tensor()},
        {"bias", Type::optional(Type::tensor())},
        {"ts", Type::list(Type::tensor())},
        {"maybe_ts", Type::list(Type::optional(Type::tensor()))},
        {"n", Type::integer()},
        {"k", Type::sym_int()},
        {"alpha", Type::floating()},
        {"factor", Type::scalar()},
        {"flag", Type::boolean()},
        {"mode", Type::string()},
        {"dt", Type::dtype()},
        {"device", Type::opaque("Device")},
        {"axes", Type::list(Type::integer())},
        {"sizes", Type::list(Type::sym_int())},
        {"scales", Type::list(Type::floating())},
        {"mask", Type::list(Type::boolean())},
        {"nested", Type::list(Type::list(Type::integer()))},
        {"maybe_n", Type::optional(Type::integer())},
        {"maybe_axes", Type::optional(Type::list(Type::integer()))},
        {"maybe_dt", Type::optional(Type::dtype())},
        {"maybe_mode", Type::optional(Type::string())},
    };
}

inline constexpr std::size_t sample_count = 4;

inline Bindings sample_bindings(std::size_t index) {
    const auto ints = [](std::vector<std::int64_t> items) { return int_list(items); };
    const auto f = opweld::expr::DType::float32;
    switch (index) {
        case 0:
            return {{"x", TensorValue{{2, 3, 4}, f}},
                    {"w", TensorValue{{5, 4}, f}},
                    {"bias", TensorValue{{5}, f}},
                    {"ts", ListValue{TensorValue{{2, 2}, f}, TensorValue{{2, 2, 2}, DType::int64}}},
                    {"maybe_ts", ListValue{TensorValue{{5}, f}, Value{}}},
                    {"n", std::int64_t{3}},
                    {"k", std::int64_t{4}},
                    {"alpha", 0.5},
                    {"factor", std::int64_t{2}},
                    {"flag", true},
                    {"mode", std::string("mean")},
                    {"dt", DType::bfloat16},
                    {"device", std::string("npu")},
                    {"axes", ints({0, -1})},
                    {"sizes", ints({2, 3, 4})},
                    {"scales", ListValue{0.5, 2.0}},
                    {"mask", ListValue{true, false}},
                    {"nested", ListValue{ints({1, 2}), ints({}), ints({3})}},
                    {"maybe_n", Value{}},
                    {"maybe_axes", Value{}},
                    {"maybe_dt", DType::float16},
                    {"maybe_mode", std::string("sum")}};
        case 1:
            return {{"x", TensorValue{{1}, DType::float16}},
                    {"w", TensorValue{{}, DType::float64}},
                    {"bias", Value{}},
                    {"ts", ListValue{}},
                    {"maybe_ts", ListValue{Value{}, TensorValue{{0, 2}, DType::int8}}},
                    {"n", std::int64_t{-2}},
                    {"k", std::int64_t{1}},
                    {"alpha", -1.5},
                    {"factor", 0.25},
                    {"flag", false},
                    {"mode", std::string("none")},
                    {"dt", DType::int32},
                    {"device", std::string("cpu")},
                    {"axes", ints({})},
                    {"sizes", ints({1})},
                    {"scales", ListValue{}},
                    {"mask", ListValue{}},
                    {"nested", ListValue{}},
                    {"maybe_n", std::int64_t{2}},
                    {"maybe_axes", ints({0})},
                    {"maybe_dt", Value{}},
                    {"maybe_mode", Value{}}};
        case 2:
            return {{"x", TensorValue{{7, 1, 6, 5}, DType::bfloat16}},
                    {"w", TensorValue{{6, 5}, DType::float16}},
                    {"bias", TensorValue{{6, 1}, DType::bfloat16}},
                    {"ts", ListValue{TensorValue{{3}, DType::uint8}}},
                    {"maybe_ts", ListValue{}},
                    {"n", std::int64_t{0}},
                    {"k", std::int64_t{6}},
                    {"alpha", 2.0},
                    {"factor", true},
                    {"flag", true},
                    {"mode", std::string("sum")},
                    {"dt", DType::complex64},
                    {"device", std::string("npu:1")},
                    {"axes", ints({1, 2, 3})},
                    {"sizes", ints({7, 1})},
                    {"scales", ListValue{1.0, 1.5, -2.5}},
                    {"mask", ListValue{false}},
                    {"nested", ListValue{ints({4})}},
                    {"maybe_n", std::int64_t{-1}},
                    {"maybe_axes", ints({})},
                    {"maybe_dt", DType::boolean},
                    {"maybe_mode", Value{}}};
        default:
            return {
                {"x", TensorValue{{0, 3}, DType::int32}},
                {"w", TensorValue{{3, 3}, DType::boolean}},
                {"bias", Value{}},
                {"ts", ListValue{TensorValue{{}, DType::int16}, TensorValue{{1, 3}, f}, TensorValue{{9}, f}}},
                {"maybe_ts", ListValue{TensorValue{{4, 4}, DType::float64}}},
                {"n", std::int64_t{2}},
                {"k", std::int64_t{0}},
                {"alpha", 0.0},
                {"factor", std::int64_t{-3}},
                {"flag", false},
                {"mode", std::string()},
                {"dt", DType::float64},
                {"device", std::string("npu")},
                {"axes", ints({-2})},
                {"sizes", ints({0, 3})},
                {"scales", ListValue{0.125}},
                {"mask", ListValue{true, true, false}},
                {"nested", ListValue{ints({}), ints({0, 5})}},
                {"maybe_n", Value{}},
                {"maybe_axes", ints({1, 0})},
                {"maybe_dt", Value{}},
                {"maybe_mode", std::string("mean")}};
    }
}

}  // namespace opweld::spec::expr
