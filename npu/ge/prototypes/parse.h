// Reads data types and values from texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "npu/ge/prototypes/prototype.h"

namespace opweld::npu::prototypes {

// What the second argument of INPUT says, as the compiler saw it: `TensorType({DT_FLOAT, DT_FLOAT16})`,
// `TensorType::BasicType()`, or the quoted name of a symbol.
struct PortTypes {
    std::vector<::ge::DataType> dtypes;  // none: any
    std::string symbol;
};

OPWELD_EXPORT PortTypes parse_port_types(std::string_view text);

// A value of that type ("VT_LIST_INT") from the text that generate.py writes. Throws std::invalid_argument.
OPWELD_EXPORT AttributeValue parse_value(std::string_view type, std::string_view text);

}  // namespace opweld::npu::prototypes
