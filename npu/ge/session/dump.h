// Files with graphs, where DUMP_GE_GRAPH asks for them: 1, 2 or 3 (all write the same here). They go to the
// folder DUMP_GRAPH_PATH, or to the current one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "npu/ge/engine/inference.h"
#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

// Whether DUMP_GE_GRAPH is set. Throws GraphError for a value that does not exist.
bool dumping();

// Writes the serialized model as `ge_model_<process>_graph_<id>_<name>.air`.
void dump_model(uint32_t id, const std::string& name, const std::string& bytes);

// Writes the sizes of a graph's first run, with the values that decide shapes, beside its model as
// `ge_model_<process>_graph_<id>_<name>.inputs.json`, for `opweld graph`.
void dump_inputs(uint32_t id, const std::string& name, std::span<const Form> inputs);

// Writes the program in the text form of ONNX as `ge_onnx_<number>_graph_<id>_<stage>.pbtxt`.
void dump_program(uint32_t id, const std::string& stage, const Program& program);

}  // namespace opweld::npu::graph
