#include "npu/ge/prototypes/prototype.h"

#include <algorithm>
#include <array>

namespace opweld::npu::prototypes {

namespace {

constexpr std::array<std::string_view, std::variant_size_v<AttributeValue>> kValueTypes = {
    "",
    "VT_INT",
    "VT_FLOAT",
    "VT_BOOL",
    "VT_STRING",
    "VT_DATA_TYPE",
    "VT_TENSOR",
    "VT_BYTES",
    "VT_LIST_INT",
    "VT_LIST_FLOAT",
    "VT_LIST_BOOL",
    "VT_LIST_STRING",
    "VT_LIST_DATA_TYPE",
    "VT_LIST_TENSOR",
    "VT_LIST_LIST_INT",
    "VT_LIST_LIST_FLOAT"};

bool same(const Port& a, const Port& b) {
    return a.name == b.name && a.kind == b.kind && a.dtypes == b.dtypes && a.symbol == b.symbol;
}

// Tensors have no equality of their own: those with the same type count as equal.
bool same_value(const AttributeValue& a, const AttributeValue& b) {
    return std::visit(
        [&]<class Value>(const Value& value) {
            const auto* other = std::get_if<Value>(&b);
            if constexpr (std::is_same_v<Value, ::ge::Tensor> ||
                          std::is_same_v<Value, std::vector<::ge::Tensor>>) {
                return other != nullptr;
            } else {
                return other != nullptr && value == *other;
            }
        },
        a);
}

bool same_attribute(const Attribute& a, const Attribute& b) {
    return a.name == b.name && a.type == b.type && a.required == b.required &&
           same_value(a.default_value, b.default_value);
}

}  // namespace

std::string_view value_type(const AttributeValue& value) { return kValueTypes[value.index()]; }

bool same_interface(const Prototype& a, const Prototype& b) {
    return std::ranges::equal(a.inputs, b.inputs, same) && std::ranges::equal(a.outputs, b.outputs, same) &&
           std::ranges::equal(a.attributes, b.attributes, same_attribute);
}

}  // namespace opweld::npu::prototypes
