// The two 16-bit floating-point formats. Arithmetic happens in float: both types convert to it and back,
// rounding to nearest, ties to even. Infinities and NaN are kept.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace opweld {

namespace detail {

constexpr uint16_t float_to_half_bits(float value) noexcept {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (bits >> 16) & 0x8000U;
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        return static_cast<uint16_t>(sign | 0x7E00U);
    }
    if (magnitude >= 0x47800000U) {  // 65536 and above, and infinity
        return static_cast<uint16_t>(sign | 0x7C00U);
    }
    if (magnitude < 0x38800000U) {  // below 2^-14: subnormal or zero; the addition rounds
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000U));
    }
    const uint32_t odd = (magnitude >> 13) & 1U;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000U + 0xFFFU + odd) >> 13));
}

constexpr float half_bits_to_float(uint16_t half) noexcept {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
    const uint32_t exponent = (half >> 10) & 0x1FU;
    const uint32_t mantissa = half & 0x3FFU;
    if (exponent == 0x1FU) {
        return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
    }
    if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
}

constexpr uint16_t float_to_bfloat16_bits(float value) noexcept {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
        return static_cast<uint16_t>((bits >> 16) | 0x40U);
    }
    return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace detail

struct Half {
    uint16_t bits;

    Half() = default;
    constexpr Half(float value) noexcept
        : bits(detail::float_to_half_bits(value)) {}  // NOLINT: as a number converts
    template <typename T>
        requires std::is_arithmetic_v<T>
    constexpr explicit Half(T value) noexcept : Half(static_cast<float>(value)) {}
    constexpr operator float() const noexcept { return detail::half_bits_to_float(bits); }  // NOLINT: ditto
};

struct BFloat16 {
    uint16_t bits;

    BFloat16() = default;
    constexpr BFloat16(float value) noexcept
        : bits(detail::float_to_bfloat16_bits(value)) {}  // NOLINT: ditto
    template <typename T>
        requires std::is_arithmetic_v<T>
    constexpr explicit BFloat16(T value) noexcept : BFloat16(static_cast<float>(value)) {}
    constexpr operator float() const noexcept {  // NOLINT: ditto
        return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    }
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2);

}  // namespace opweld
