// Results of the graph engine's functions.
#pragma once

#include <cstdint>

#define OPWELD_GE_API __attribute__((visibility("default")))

namespace ge {

using graphStatus = std::uint32_t;

constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;

}  // namespace ge
