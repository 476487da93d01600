// Names and sizes of dtypes, by their number in aclDataType.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "opweld/kernel.h"

namespace opweld::npu {

struct DtypeFacts {
    int32_t number = 0;
    size_t bytes = 0;  // of an element, sub-byte dtypes 1; 0 where there is no fixed size
    const char* name = nullptr;
    bool computed = false;  // kernels take it
};

inline constexpr DtypeFacts kDtypes[] = {
    {OPWELD_FLOAT32, 4, "float32", true},
    {OPWELD_FLOAT16, 2, "float16", true},
    {OPWELD_INT8, 1, "int8", true},
    {OPWELD_INT32, 4, "int32", true},
    {OPWELD_UINT8, 1, "uint8", true},
    {OPWELD_INT16, 2, "int16", true},
    {OPWELD_UINT16, 2, "uint16", true},
    {OPWELD_UINT32, 4, "uint32", true},
    {OPWELD_INT64, 8, "int64", true},
    {OPWELD_UINT64, 8, "uint64", true},
    {OPWELD_FLOAT64, 8, "float64", true},
    {OPWELD_BOOL, 1, "bool", true},
    {13, 0, "string", false},
    {OPWELD_COMPLEX64, 8, "complex64", true},
    {OPWELD_COMPLEX128, 16, "complex128", true},
    {OPWELD_BFLOAT16, 2, "bfloat16", true},
    {29, 1, "int4", false},
    {33, 4, "complex32", false},
    {34, 1, "hifloat8", false},
    {35, 1, "float8_e5m2", false},
    {36, 1, "float8_e4m3fn", false},
    {37, 1, "float8_e8m0", false},
    {40, 1, "float4_e2m1", false},
    {41, 1, "float4_e1m2", false},
};

inline constexpr auto kDtypesByNumber = [] {
    constexpr size_t kNumbers = 64;
    std::array<const DtypeFacts*, kNumbers> facts{};
    for (const DtypeFacts& row : kDtypes) {
        facts[static_cast<size_t>(row.number)] = &row;
    }
    return facts;
}();

// Null for a number that is none.
inline const DtypeFacts* find_dtype(int32_t number) noexcept {
    const auto index = static_cast<size_t>(number);
    return index < kDtypesByNumber.size() ? kDtypesByNumber[index] : nullptr;
}

}  // namespace opweld::npu
