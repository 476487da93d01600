// Names that somebody may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace opweld::npu::graph {

// The name nearest to `wanted`, or an empty string where none is near.
std::string suggestion(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace opweld::npu::graph
