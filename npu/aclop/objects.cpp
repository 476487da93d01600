#include "npu/aclop/objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "npu/aclop/boundary.h"
#include "npu/runtime/dtypes.h"

namespace opweld::npu::aclop {
namespace {

std::string dtype_name(int number) {
    const DtypeFacts* known = find_dtype(number);
    return known == nullptr ? fmt::format("dtype {}", number) : known->name;
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
    const DtypeFacts* known = find_dtype(tensor.dtype);
    if (known == nullptr || !known->computed) {
        raise(kInvalidParam, "the tensor {} has a dtype whose size is not known", describe(tensor));
    }
    size_t bytes = known->bytes;
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
