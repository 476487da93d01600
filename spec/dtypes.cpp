#include "spec/dtypes.h"

#include <array>
#include <utility>

namespace opweld::spec {
namespace {

constexpr std::array kTable = {
    DTypeInfo{DType::Float32, "float32", "kFloat", "DT_FLOAT", "ACL_FLOAT", true, false, 6},
    DTypeInfo{DType::Float16, "float16", "kHalf", "DT_FLOAT16", "ACL_FLOAT16", true, false, 5},
    DTypeInfo{DType::BFloat16, "bfloat16", "kBFloat16", "DT_BF16", "ACL_BF16", true, false, 15},
    DTypeInfo{DType::Float64, "float64", "kDouble", "DT_DOUBLE", "ACL_DOUBLE", true, false, 7},
    DTypeInfo{DType::Int8, "int8", "kChar", "DT_INT8", "ACL_INT8", false, false, 1},
    DTypeInfo{DType::Int16, "int16", "kShort", "DT_INT16", "ACL_INT16", false, false, 2},
    DTypeInfo{DType::Int32, "int32", "kInt", "DT_INT32", "ACL_INT32", false, false, 3},
    DTypeInfo{DType::Int64, "int64", "kLong", "DT_INT64", "ACL_INT64", false, false, 4},
    DTypeInfo{DType::UInt8, "uint8", "kByte", "DT_UINT8", "ACL_UINT8", false, false, 0},
    DTypeInfo{DType::UInt16, "uint16", "kUInt16", "DT_UINT16", "ACL_UINT16", false, false, 27},
    DTypeInfo{DType::UInt32, "uint32", "kUInt32", "DT_UINT32", "ACL_UINT32", false, false, 28},
    DTypeInfo{DType::UInt64, "uint64", "kUInt64", "DT_UINT64", "ACL_UINT64", false, false, 29},
    DTypeInfo{DType::Bool, "bool", "kBool", "DT_BOOL", "ACL_BOOL", false, false, 11},
    DTypeInfo{DType::Complex32, "complex32", "kComplexHalf", "DT_COMPLEX32", "ACL_COMPLEX32", false, true, 8},
    DTypeInfo{DType::Complex64, "complex64", "kComplexFloat", "DT_COMPLEX64", "ACL_COMPLEX64", false, true,
              9},
    DTypeInfo{DType::Complex128, "complex128", "kComplexDouble", "DT_COMPLEX128", "ACL_COMPLEX128", false,
              true, 10},
    DTypeInfo{DType::Float8E4M3FN, "float8_e4m3fn", "kFloat8_e4m3fn", "DT_FLOAT8_E4M3FN", "ACL_FLOAT8_E4M3FN",
              true, false, 24},
    DTypeInfo{DType::Float8E5M2, "float8_e5m2", "kFloat8_e5m2", "DT_FLOAT8_E5M2", "ACL_FLOAT8_E5M2", true,
              false, 23},
    DTypeInfo{DType::Float8E8M0FNU, "float8_e8m0fnu", "kFloat8_e8m0fnu", "DT_FLOAT8_E8M0", "ACL_FLOAT8_E8M0",
              true, false, 44},
};

constexpr std::array kAliases = {
    std::pair<std::string_view, DType>{"float", DType::Float32},
    std::pair<std::string_view, DType>{"fp32", DType::Float32},
    std::pair<std::string_view, DType>{"half", DType::Float16},
    std::pair<std::string_view, DType>{"fp16", DType::Float16},
    std::pair<std::string_view, DType>{"bf16", DType::BFloat16},
    std::pair<std::string_view, DType>{"double", DType::Float64},
    std::pair<std::string_view, DType>{"fp64", DType::Float64},
    std::pair<std::string_view, DType>{"short", DType::Int16},
    std::pair<std::string_view, DType>{"int", DType::Int32},
    std::pair<std::string_view, DType>{"long", DType::Int64},
    std::pair<std::string_view, DType>{"chalf", DType::Complex32},
    std::pair<std::string_view, DType>{"cfloat", DType::Complex64},
    std::pair<std::string_view, DType>{"cdouble", DType::Complex128},
    std::pair<std::string_view, DType>{"fp8_e4m3fn", DType::Float8E4M3FN},
    std::pair<std::string_view, DType>{"fp8_e5m2", DType::Float8E5M2},
};

}  // namespace

std::span<const DTypeInfo> dtype_table() { return kTable; }

const DTypeInfo& info(DType dtype) { return kTable.at(static_cast<std::size_t>(dtype)); }

std::string_view name(DType dtype) { return info(dtype).name; }

std::optional<DType> parse_dtype(std::string_view text) {
    if (text.starts_with("torch.")) {
        text.remove_prefix(6);
    }
    for (const DTypeInfo& entry : kTable) {
        if (entry.name == text) {
            return entry.dtype;
        }
    }
    for (const auto& [alias, dtype] : kAliases) {
        if (alias == text) {
            return dtype;
        }
    }
    return std::nullopt;
}

std::vector<std::string_view> dtype_spellings() {
    std::vector<std::string_view> spellings;
    spellings.reserve(kTable.size() + kAliases.size());
    for (const DTypeInfo& entry : kTable) {
        spellings.push_back(entry.name);
    }
    for (const auto& [alias, dtype] : kAliases) {
        spellings.push_back(alias);
    }
    return spellings;
}

}  // namespace opweld::spec
