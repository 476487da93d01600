// Element types in emitted expressions, and PyTorch's rules of type promotion on them.
// The rules are those of PyTorch's page on tensor attributes (torch.dtype, "type promotion") and of
// torch.result_type; they are implemented here anew so that vendor code needs no torch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opweld/expr/error.h"

namespace opweld::expr {

// The numbers are those of aclDataType and ge::DataType.
enum class DType : std::int32_t {
    float32 = 0,
    float16 = 1,
    int8 = 2,
    int32 = 3,
    uint8 = 4,
    int16 = 6,
    uint16 = 7,
    uint32 = 8,
    int64 = 9,
    uint64 = 10,
    float64 = 11,
    boolean = 12,
    complex64 = 16,
    complex128 = 17,
    bfloat16 = 27,
    complex32 = 33,
    float8_e5m2 = 35,
    float8_e4m3fn = 36,
    float8_e8m0fnu = 37
};

struct DTypeInfo {
    enum class Category : std::uint8_t { boolean, unsigned_integer, integer, floating, float8, complex };

    DType dtype;
    std::string_view name;  // PyTorch's, without `torch.`
    Category category;
    int bits;  // of a real element: half of a complex number's size
};

inline constexpr std::array<DTypeInfo, 19> dtype_table{{
    {DType::float32, "float32", DTypeInfo::Category::floating, 32},
    {DType::float16, "float16", DTypeInfo::Category::floating, 16},
    {DType::int8, "int8", DTypeInfo::Category::integer, 8},
    {DType::int32, "int32", DTypeInfo::Category::integer, 32},
    {DType::uint8, "uint8", DTypeInfo::Category::integer, 8},
    {DType::int16, "int16", DTypeInfo::Category::integer, 16},
    {DType::uint16, "uint16", DTypeInfo::Category::unsigned_integer, 16},
    {DType::uint32, "uint32", DTypeInfo::Category::unsigned_integer, 32},
    {DType::int64, "int64", DTypeInfo::Category::integer, 64},
    {DType::uint64, "uint64", DTypeInfo::Category::unsigned_integer, 64},
    {DType::float64, "float64", DTypeInfo::Category::floating, 64},
    {DType::boolean, "bool", DTypeInfo::Category::boolean, 8},
    {DType::complex64, "complex64", DTypeInfo::Category::complex, 32},
    {DType::complex128, "complex128", DTypeInfo::Category::complex, 64},
    {DType::bfloat16, "bfloat16", DTypeInfo::Category::floating, 16},
    {DType::complex32, "complex32", DTypeInfo::Category::complex, 16},
    {DType::float8_e5m2, "float8_e5m2", DTypeInfo::Category::float8, 8},
    {DType::float8_e4m3fn, "float8_e4m3fn", DTypeInfo::Category::float8, 8},
    {DType::float8_e8m0fnu, "float8_e8m0fnu", DTypeInfo::Category::float8, 8},
}};

inline const DTypeInfo& dtype_info(DType dtype) {
    for (const DTypeInfo& info : dtype_table) {
        if (info.dtype == dtype) {
            return info;
        }
    }
    throw Error("no dtype has the number " + std::to_string(static_cast<int>(dtype)));
}

inline std::string_view dtype_name(DType dtype) { return dtype_info(dtype).name; }

inline std::optional<DType> dtype_from_name(std::string_view name) {
    for (const DTypeInfo& info : dtype_table) {
        if (info.name == name) {
            return info.dtype;
        }
    }
    return std::nullopt;
}

inline std::optional<DType> dtype_from_code(std::int64_t code) {
    for (const DTypeInfo& info : dtype_table) {
        if (static_cast<std::int64_t>(info.dtype) == code) {
            return info.dtype;
        }
    }
    return std::nullopt;
}

// One participant of a promotion. Tensors of one dimension or more go before 0-d tensors, and those before
// numbers.
struct Participant {
    enum class Rank : std::uint8_t { dimensioned, zero_dim, number };

    DType dtype;
    Rank rank = Rank::dimensioned;
};

namespace detail {

inline DType complex_of(DType real) {
    switch (dtype_info(real).bits) {
        case 64:
            return DType::complex128;
        case 16:
            return real == DType::float16 ? DType::complex32 : DType::complex64;
        default:
            return DType::complex64;
    }
}

inline DType real_of(DType complex) {
    switch (dtype_info(complex).bits) {
        case 64:
            return DType::float64;
        case 16:
            return DType::float16;
        default:
            return DType::float32;
    }
}

[[noreturn]] inline void refuse_promotion(DType a, DType b) {
    throw Error("PyTorch does not promote " + std::string(dtype_name(a)) + " with " +
                std::string(dtype_name(b)));
}

inline DType promote_integers(const DTypeInfo& a, const DTypeInfo& b) {
    if (a.bits == b.bits) {
        return DType::int16;  // uint8 and int8
    }
    return a.bits > b.bits ? a.dtype : b.dtype;
}

inline DType promote_floats(DType a, DType b) {
    const int bits_a = dtype_info(a).bits;
    const int bits_b = dtype_info(b).bits;
    if (bits_a == bits_b) {
        return DType::float32;  // float16 and bfloat16
    }
    return bits_a > bits_b ? a : b;
}

// Two participants of the same rank.
inline DType promote_pair(DType a, DType b) {
    using Category = DTypeInfo::Category;
    if (a == b) {
        return a;
    }
    const DTypeInfo& info_a = dtype_info(a);
    const DTypeInfo& info_b = dtype_info(b);
    if (info_a.category == Category::float8 || info_b.category == Category::float8) {
        refuse_promotion(a, b);
    }
    // uint16, uint32 and uint64 go with floats only.
    const bool unsigned_a = info_a.category == Category::unsigned_integer;
    const bool unsigned_b = info_b.category == Category::unsigned_integer;
    if ((unsigned_a && info_b.category != Category::floating) ||
        (unsigned_b && info_a.category != Category::floating)) {
        refuse_promotion(a, b);
    }
    if (info_a.category < info_b.category && info_b.category >= Category::floating &&
        info_a.category < Category::floating) {
        return b;
    }
    if (info_b.category < info_a.category && info_a.category >= Category::floating &&
        info_b.category < Category::floating) {
        return a;
    }
    if (info_a.category == Category::boolean) {
        return b;
    }
    if (info_b.category == Category::boolean) {
        return a;
    }
    if (info_a.category < Category::floating) {
        return promote_integers(info_a, info_b);
    }
    if (info_a.category == Category::floating && info_b.category == Category::floating) {
        return promote_floats(a, b);
    }
    const DType real_a = info_a.category == Category::complex ? real_of(a) : a;
    const DType real_b = info_b.category == Category::complex ? real_of(b) : b;
    return complex_of(real_a == real_b ? real_a : promote_floats(real_a, real_b));
}

// `lower` counts only where it is of a higher kind (bool, integer, floating, complex) than `higher`.
inline std::optional<DType> combine_ranks(std::optional<DType> higher, std::optional<DType> lower) {
    using Category = DTypeInfo::Category;
    if (!higher || !lower) {
        return higher ? higher : lower;
    }
    const Category category = dtype_info(*higher).category;
    const Category lower_category = dtype_info(*lower).category;
    if (category == Category::complex) {
        return higher;
    }
    if (category == Category::floating || category == Category::float8) {
        if (lower_category == Category::complex && category == Category::float8) {
            refuse_promotion(*higher, *lower);
        }
        return lower_category == Category::complex ? complex_of(*higher) : *higher;
    }
    if (category == Category::unsigned_integer && lower_category == Category::complex) {
        return lower;  // of the same rank this would be refused
    }
    if (category == Category::boolean || lower_category >= Category::floating) {
        return promote_pair(*higher, *lower);
    }
    return higher;
}

}  // namespace detail

// torch.result_type of the participants; there must be one at least. Throws where PyTorch has no rule.
template <class Participants>
DType promote_all(const Participants& participants) {
    std::array<std::optional<DType>, 3> results;
    for (const Participant& item : participants) {
        std::optional<DType>& result = results[static_cast<std::size_t>(item.rank)];
        result = result ? detail::promote_pair(*result, item.dtype) : item.dtype;
    }
    const std::optional<DType> all =
        detail::combine_ranks(results[0], detail::combine_ranks(results[1], results[2]));
    if (!all) {
        throw Error("promotion of nothing");
    }
    return *all;
}

}  // namespace opweld::expr
