// The element types as C++ types, with their names and sizes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "opweld/kernel.h"
#include "opweld/kernel/half.hpp"

namespace opweld {

// The OpweldDType of a C++ element type: dtype_of<float> is OPWELD_FLOAT32.
template <typename T>
struct DTypeOf;
// The type to accumulate in: float for the 16-bit floats, 64 bits for integers, else the type itself.
template <typename T>
struct AccumulateOf {
    using type = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
};

template <>
struct AccumulateOf<Half> {
    using type = float;
};
template <>
struct AccumulateOf<BFloat16> {
    using type = float;
};

// clang-format off
template <> struct DTypeOf<float> { static constexpr OpweldDType value = OPWELD_FLOAT32; };
template <> struct DTypeOf<Half> { static constexpr OpweldDType value = OPWELD_FLOAT16; };
template <> struct DTypeOf<BFloat16> { static constexpr OpweldDType value = OPWELD_BFLOAT16; };
template <> struct DTypeOf<double> { static constexpr OpweldDType value = OPWELD_FLOAT64; };
template <> struct DTypeOf<int8_t> { static constexpr OpweldDType value = OPWELD_INT8; };
template <> struct DTypeOf<int16_t> { static constexpr OpweldDType value = OPWELD_INT16; };
template <> struct DTypeOf<int32_t> { static constexpr OpweldDType value = OPWELD_INT32; };
template <> struct DTypeOf<int64_t> { static constexpr OpweldDType value = OPWELD_INT64; };
template <> struct DTypeOf<uint8_t> { static constexpr OpweldDType value = OPWELD_UINT8; };
template <> struct DTypeOf<uint16_t> { static constexpr OpweldDType value = OPWELD_UINT16; };
template <> struct DTypeOf<uint32_t> { static constexpr OpweldDType value = OPWELD_UINT32; };
template <> struct DTypeOf<uint64_t> { static constexpr OpweldDType value = OPWELD_UINT64; };
template <> struct DTypeOf<bool> { static constexpr OpweldDType value = OPWELD_BOOL; };
template <> struct DTypeOf<std::complex<float>> { static constexpr OpweldDType value = OPWELD_COMPLEX64; };
template <> struct DTypeOf<std::complex<double>> { static constexpr OpweldDType value = OPWELD_COMPLEX128; };
// clang-format on

template <typename T>
inline constexpr OpweldDType dtype_of = DTypeOf<std::remove_const_t<T>>::value;
template <typename T>
using accumulate_t = typename AccumulateOf<std::remove_const_t<T>>::type;

// PyTorch's name of an element type, for messages.
inline std::string dtype_name(int32_t dtype) {
    switch (dtype) {
        case OPWELD_FLOAT32:
            return "float32";
        case OPWELD_FLOAT16:
            return "float16";
        case OPWELD_INT8:
            return "int8";
        case OPWELD_INT32:
            return "int32";
        case OPWELD_UINT8:
            return "uint8";
        case OPWELD_INT16:
            return "int16";
        case OPWELD_UINT16:
            return "uint16";
        case OPWELD_UINT32:
            return "uint32";
        case OPWELD_INT64:
            return "int64";
        case OPWELD_UINT64:
            return "uint64";
        case OPWELD_FLOAT64:
            return "float64";
        case OPWELD_BOOL:
            return "bool";
        case OPWELD_COMPLEX64:
            return "complex64";
        case OPWELD_COMPLEX128:
            return "complex128";
        case OPWELD_BFLOAT16:
            return "bfloat16";
        default:
            return "dtype " + std::to_string(dtype);
    }
}

// Bytes of one element; 0 for a number that is no OpweldDType.
constexpr size_t dtype_size(int32_t dtype) noexcept {
    switch (dtype) {
        case OPWELD_INT8:
        case OPWELD_UINT8:
        case OPWELD_BOOL:
            return 1;
        case OPWELD_FLOAT16:
        case OPWELD_BFLOAT16:
        case OPWELD_INT16:
        case OPWELD_UINT16:
            return 2;
        case OPWELD_FLOAT32:
        case OPWELD_INT32:
        case OPWELD_UINT32:
            return 4;
        case OPWELD_INT64:
        case OPWELD_UINT64:
        case OPWELD_FLOAT64:
        case OPWELD_COMPLEX64:
            return 8;
        case OPWELD_COMPLEX128:
            return 16;
        default:
            return 0;
    }
}

}  // namespace opweld
