// What `opweld graph` shows: a model before and after the passes, with shapes, memory and time.
#pragma once

#include <string>
#include <string_view>

#include "npu/ge/report/given_inputs.h"

namespace opweld::npu::graph {

// A JSON text. `given`: sizes of inputs whose shape the model leaves open; where some are missing, the report
// says so ("no_steps") and shows declared shapes only. `runs`: how often each step is measured on zeros, 0
// for not at all. Throws GraphError.
std::string graph_report(std::string_view model, const GivenInputs& given, int runs);

}  // namespace opweld::npu::graph
