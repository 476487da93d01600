// What the numbers in graph/types.h stand for.
#pragma once

#include <optional>
#include <string_view>

#include "graph/types.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

// "DT_FLOAT"; "unknown type" for a number that is none.
OPWELD_EXPORT std::string_view name(::ge::DataType dtype);

// The type of that name ("DT_FLOAT").
OPWELD_EXPORT std::optional<::ge::DataType> data_type(std::string_view name);

// Size of an element; 0 where there is no fixed one.
OPWELD_EXPORT int bits(::ge::DataType dtype);

}  // namespace opweld::npu::prototypes
