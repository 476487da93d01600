#include "npu/ge/model/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace opweld::npu::graph {
namespace {

struct TypeFacts {
    int32_t number;
    size_t bytes;
    std::string_view name;
};

constexpr std::array kTypes{
    TypeFacts{.number = 0, .bytes = 4, .name = "float32"},
    TypeFacts{.number = 1, .bytes = 2, .name = "float16"},
    TypeFacts{.number = 2, .bytes = 1, .name = "int8"},
    TypeFacts{.number = 3, .bytes = 4, .name = "int32"},
    TypeFacts{.number = 4, .bytes = 1, .name = "uint8"},
    TypeFacts{.number = 6, .bytes = 2, .name = "int16"},
    TypeFacts{.number = 7, .bytes = 2, .name = "uint16"},
    TypeFacts{.number = 8, .bytes = 4, .name = "uint32"},
    TypeFacts{.number = 9, .bytes = 8, .name = "int64"},
    TypeFacts{.number = 10, .bytes = 8, .name = "uint64"},
    TypeFacts{.number = 11, .bytes = 8, .name = "float64"},
    TypeFacts{.number = 12, .bytes = 1, .name = "bool"},
    TypeFacts{.number = 16, .bytes = 8, .name = "complex64"},
    TypeFacts{.number = 17, .bytes = 16, .name = "complex128"},
    TypeFacts{.number = 27, .bytes = 2, .name = "bfloat16"},
};

const TypeFacts* facts(DataType dtype) noexcept {
    for (const TypeFacts& type : kTypes) {
        if (type.number == dtype.number) {
            return &type;
        }
    }
    return nullptr;
}

}  // namespace

size_t element_size(DataType dtype) noexcept {
    const TypeFacts* type = facts(dtype);
    return type == nullptr ? 0 : type->bytes;
}

std::string dtype_name(DataType dtype) {
    const TypeFacts* type = facts(dtype);
    return type == nullptr ? fmt::format("aclDataType {}", dtype.number) : std::string(type->name);
}

std::string shape_text(const std::vector<int64_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace opweld::npu::graph
