// What `opweld graph` shows: a model before and after the passes, with shapes, memory and time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opweld::npu::graph {

// A JSON text. `shapes`: sizes of inputs whose shape the model leaves open, by input. `runs`: how often each
// step is measured on zeros, 0 for not at all. Throws GraphError.
std::string graph_report(std::string_view model, const std::map<int64_t, std::vector<int64_t>>& shapes,
                         int runs);

}  // namespace opweld::npu::graph
