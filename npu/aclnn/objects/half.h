// Conversion of 16-bit floating-point numbers, for scalars: tensors are left to the kernels.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace opweld::npu::aclnn {

inline float bfloat16_to_float(uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline float float16_to_float(uint16_t bits) noexcept {
    const int exponent = (bits >> 10) & 0x1f;
    const int mantissa = bits & 0x3ff;
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 0x1f) {
        return mantissa == 0 ? sign * INFINITY : NAN;
    }
    if (exponent == 0) {
        return sign * std::ldexp(static_cast<float>(mantissa), -24);
    }
    return sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
}

}  // namespace opweld::npu::aclnn
