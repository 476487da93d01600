// The prototypes of all operator types that a graph may have.
#pragma once

#include <string_view>
#include <vector>

#include "npu/ge/prototypes/prototype.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

// The prototype of a type, or null. What a library registered goes before a standard one. Valid for ever.
// Safe from any thread.
OPWELD_EXPORT const Prototype* find(std::string_view type);

// The standard prototype of a type, or null.
OPWELD_EXPORT const Prototype* find_standard(std::string_view type);

// Adds what a library registers. Returns the one that was there before, which stays, or null.
OPWELD_EXPORT const Prototype* add(Prototype prototype);

// All types, sorted.
OPWELD_EXPORT std::vector<std::string_view> types();

}  // namespace opweld::npu::prototypes
