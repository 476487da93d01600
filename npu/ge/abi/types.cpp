#include "npu/ge/abi/types.h"

#include <array>
#include <cstddef>

namespace {

constexpr int kFormatMask = 0xFF;

// By number; null where no layout has it.
constexpr std::array<const char*, ge::FORMAT_END> kFormatNames = {"NCHW",
                                                                  "NHWC",
                                                                  "ND",
                                                                  "NC1HWC0",
                                                                  "FRACTAL_Z",
                                                                  "NC1C0HWPAD",
                                                                  "NHWC1C0",
                                                                  "FSR_NCHW",
                                                                  "FRACTAL_DECONV",
                                                                  "C1HWNC0",
                                                                  "FRACTAL_DECONV_TRANSPOSE",
                                                                  "FRACTAL_DECONV_SP_STRIDE_TRANS",
                                                                  "NC1HWC0_C04",
                                                                  "FRACTAL_Z_C04",
                                                                  "CHWN",
                                                                  "FRACTAL_DECONV_SP_STRIDE8_TRANS",
                                                                  "HWCN",
                                                                  "NC1KHKWHWC0",
                                                                  "BN_WEIGHT",
                                                                  "FILTER_HWCK",
                                                                  "HASHTABLE_LOOKUP_LOOKUPS",
                                                                  "HASHTABLE_LOOKUP_KEYS",
                                                                  "HASHTABLE_LOOKUP_VALUE",
                                                                  "HASHTABLE_LOOKUP_OUTPUT",
                                                                  "HASHTABLE_LOOKUP_HITS",
                                                                  "C1HWNCoC0",
                                                                  "MD",
                                                                  "NDHWC",
                                                                  "FRACTAL_ZZ",
                                                                  "FRACTAL_NZ",
                                                                  "NCDHW",
                                                                  "DHWCN",
                                                                  "NDC1HWC0",
                                                                  "FRACTAL_Z_3D",
                                                                  "CN",
                                                                  "NC",
                                                                  "DHWNC",
                                                                  "FRACTAL_Z_3D_TRANSPOSE",
                                                                  "FRACTAL_ZN_LSTM",
                                                                  "FRACTAL_Z_G",
                                                                  "RESERVED",
                                                                  "ALL",
                                                                  "NULL",
                                                                  "ND_RNN_BIAS",
                                                                  "FRACTAL_ZN_RNN",
                                                                  "NYUV",
                                                                  "NYUV_A",
                                                                  "NCL",
                                                                  "FRACTAL_Z_WINO",
                                                                  "C1HWC0",
                                                                  "FRACTAL_NZ_C0_16",
                                                                  "FRACTAL_NZ_C0_32",
                                                                  "FRACTAL_NZ_C0_2",
                                                                  "FRACTAL_NZ_C0_4",
                                                                  "FRACTAL_NZ_C0_8"};

struct TypeFacts {
    const char* name;
    int bits;  // 0: no fixed size
};

// By number.
constexpr std::array<TypeFacts, ge::DT_MAX> kTypes = {{
    {"DT_FLOAT", 32},        {"DT_FLOAT16", 16},     {"DT_INT8", 8},          {"DT_INT32", 32},
    {"DT_UINT8", 8},         {nullptr, 0},           {"DT_INT16", 16},        {"DT_UINT16", 16},
    {"DT_UINT32", 32},       {"DT_INT64", 64},       {"DT_UINT64", 64},       {"DT_DOUBLE", 64},
    {"DT_BOOL", 8},          {"DT_STRING", 0},       {"DT_DUAL_SUB_INT8", 8}, {"DT_DUAL_SUB_UINT8", 8},
    {"DT_COMPLEX64", 64},    {"DT_COMPLEX128", 128}, {"DT_QINT8", 8},         {"DT_QINT16", 16},
    {"DT_QINT32", 32},       {"DT_QUINT8", 8},       {"DT_QUINT16", 16},      {"DT_RESOURCE", 0},
    {"DT_STRING_REF", 0},    {"DT_DUAL", 0},         {"DT_VARIANT", 0},       {"DT_BF16", 16},
    {"DT_UNDEFINED", 0},     {"DT_INT4", 4},         {"DT_UINT1", 1},         {"DT_INT2", 2},
    {"DT_UINT2", 2},         {"DT_COMPLEX32", 32},   {"DT_HIFLOAT8", 8},      {"DT_FLOAT8_E5M2", 8},
    {"DT_FLOAT8_E4M3FN", 8}, {"DT_FLOAT8_E8M0", 8},  {"DT_FLOAT6_E3M2", 6},   {"DT_FLOAT6_E2M3", 6},
    {"DT_FLOAT4_E2M1", 4},   {"DT_FLOAT4_E1M2", 4},
}};

const TypeFacts* facts(ge::DataType dtype) {
    const auto number = static_cast<std::size_t>(dtype);
    return number < kTypes.size() && kTypes[number].name != nullptr ? &kTypes[number] : nullptr;
}

}  // namespace

namespace ge {

const char* GetFormatName(Format format) {
    const auto number = static_cast<std::size_t>(static_cast<int>(format) & kFormatMask);
    return format >= 0 && number < kFormatNames.size() ? kFormatNames[number] : "UNKNOWN";
}

}  // namespace ge

namespace opweld::npu::prototypes {

std::string_view name(::ge::DataType dtype) {
    const TypeFacts* known = facts(dtype);
    return known == nullptr ? "unknown type" : known->name;
}

std::optional<::ge::DataType> data_type(std::string_view name) {
    for (std::size_t number = 0; number < kTypes.size(); ++number) {
        if (kTypes[number].name != nullptr && kTypes[number].name == name) {
            return static_cast<::ge::DataType>(number);
        }
    }
    return std::nullopt;
}

int bits(::ge::DataType dtype) {
    const TypeFacts* known = facts(dtype);
    return known == nullptr ? 0 : known->bits;
}

}  // namespace opweld::npu::prototypes
