#include "npu/aclop/objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "npu/aclop/boundary.h"

namespace opweld::npu::aclop {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 17> kDtypes{{{0, "float32"},
                                                                    {1, "float16"},
                                                                    {2, "int8"},
                                                                    {3, "int32"},
                                                                    {4, "uint8"},
                                                                    {6, "int16"},
                                                                    {7, "uint16"},
                                                                    {8, "uint32"},
                                                                    {9, "int64"},
                                                                    {10, "uint64"},
                                                                    {11, "float64"},
                                                                    {12, "bool"},
                                                                    {13, "string"},
                                                                    {16, "complex64"},
                                                                    {17, "complex128"},
                                                                    {27, "bfloat16"},
                                                                    {33, "complex32"}}};

std::string dtype_name(int number) {
    for (const auto& [known, name] : kDtypes) {
        if (known == number) {
            return std::string(name);
        }
    }
    return fmt::format("dtype {}", number);
}

struct Print {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return fmt::to_string(value); }
    std::string operator()(float value) const { return fmt::to_string(value); }
    std::string operator()(const std::string& value) const { return fmt::format("\"{}\"", value); }
    std::string operator()(DataType value) const { return dtype_name(value.number); }
    template <class T>
    std::string operator()(const std::vector<T>& values) const {
        std::string text = "[";
        for (const auto& value : values) {
            text += text.size() == 1 ? "" : ",";
            text += (*this)(value);
        }
        return text + "]";
    }
};

}  // namespace

size_t byte_size(const aclTensorDesc& tensor) {
    constexpr std::array<std::pair<int, size_t>, 15> kSizes{{{0, 4},
                                                             {1, 2},
                                                             {2, 1},
                                                             {3, 4},
                                                             {4, 1},
                                                             {6, 2},
                                                             {7, 2},
                                                             {8, 4},
                                                             {9, 8},
                                                             {10, 8},
                                                             {11, 8},
                                                             {12, 1},
                                                             {16, 8},
                                                             {17, 16},
                                                             {27, 2}}};
    const auto* known = std::find_if(kSizes.begin(), kSizes.end(),
                                     [&](const auto& row) { return row.first == tensor.dtype; });
    if (known == kSizes.end()) {
        raise(kInvalidParam, "the tensor {} has a dtype whose size is not known", describe(tensor));
    }
    size_t bytes = known->second;
    for (const int64_t size : tensor.shape) {
        if (size < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) {
            raise(kInvalidParam, "the tensor {} has a negative or too large size", describe(tensor));
        }
    }
    return bytes;
}

std::string describe(const aclTensorDesc& tensor) {
    return fmt::format("{}[{}]", dtype_name(tensor.dtype), fmt::join(tensor.shape, ","));
}

std::string describe(const std::string& name, const Attribute& attribute) {
    return name + "=" + std::visit(Print(), attribute);
}

}  // namespace opweld::npu::aclop
