// The table of standard prototypes, written at build time: see generate.py.
#pragma once

#include <cstddef>

#include "npu/ge/prototypes/prototype.h"

namespace opweld::npu::prototypes::standard {

struct PortRow {
    const char* name;
    PortKind kind;
    const char* dtypes;  // "DT_FLOAT,DT_FLOAT16"
    const char* symbol;
};

struct AttributeRow {
    const char* name;
    const char* type;
    bool required;
    const char* value;
};

// Inputs are kPorts[first_input, first_output), and so on.
struct TypeRow {
    const char* type;
    std::size_t first_input;
    std::size_t first_output;
    std::size_t last_output;
    std::size_t first_attribute;
    std::size_t last_attribute;
};

extern const PortRow kPorts[];
extern const AttributeRow kAttributes[];
extern const TypeRow kTypes[];  // sorted by type
extern const std::size_t kTypeCount;

}  // namespace opweld::npu::prototypes::standard
