// What an operator type of a graph looks like.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/tensor.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

enum class PortKind { kRequired, kOptional, kDynamic };

// An input or output.
struct Port {
    std::string name;
    PortKind kind = PortKind::kRequired;
    std::vector<::ge::DataType> dtypes;  // none: any
    std::string symbol;                  // all ports with this symbol have one data type; "": none
};

// The value of an attribute; monostate: none.
using AttributeValue =
    std::variant<std::monostate, std::int64_t, float, bool, std::string, ::ge::DataType, ::ge::Tensor,
                 std::vector<std::uint8_t>, std::vector<std::int64_t>, std::vector<float>, std::vector<bool>,
                 std::vector<std::string>, std::vector<::ge::DataType>, std::vector<::ge::Tensor>,
                 std::vector<std::vector<std::int64_t>>, std::vector<std::vector<float>>>;

struct Attribute {
    std::string name;
    std::string type;              // "VT_INT"
    AttributeValue default_value;  // none where the attribute is required
    bool required = false;
};

struct Prototype {
    std::string type;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::vector<Attribute> attributes;
    std::string library;  // the file that registered it; "": a standard type
};

// "VT_INT" for the value's type; "" for none.
OPWELD_EXPORT std::string_view value_type(const AttributeValue& value);

// Whether both say the same, wherever they come from.
OPWELD_EXPORT bool same_interface(const Prototype& a, const Prototype& b);

}  // namespace opweld::npu::prototypes
