// A program in the text form of ONNX, which graph viewers (Netron) read.
#pragma once

#include <string>

#include "npu/ge/engine/inference.h"

namespace opweld::npu::graph {

// The operators are those of the graph, in the domain "ge"; `forms` (may be null) give shapes and dtypes.
std::string onnx_text(const Program& program, const Forms* forms);

}  // namespace opweld::npu::graph
