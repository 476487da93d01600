// Dtypes that a program says before its shapes are inferred.
#pragma once

#include <optional>

#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

// What a Cast casts to.
std::optional<at::ScalarType> cast_target(const BoundNode& node);

// The dtype of what a node gives, where the graph says it.
std::optional<at::ScalarType> known_dtype(const Program& program, const Source& source);

}  // namespace opweld::npu::graph
