// Shapes, dtypes and known values of all that a graph computes, for given inputs.
#pragma once

#include <span>
#include <vector>

#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

// One input or output of a node. Two forms whose Meta tensors share a storage share memory when the graph
// runs.
struct Form {
    at::Tensor meta;   // undefined where the output is left out
    at::Tensor value;  // on the CPU, where it is known before the graph runs; else undefined
};

using Forms = std::vector<std::vector<Form>>;  // by node and output

// The form of a tensor whose value is known.
Form known(const at::Tensor& value);

// Throws GraphError, and ValueUnknown where a shape depends on what the graph computes.
Forms infer(const Program& program, std::span<const Form> inputs);

// A node's call with its arguments' forms.
Call make_call(const Program& program, int node, const Forms& forms);

}  // namespace opweld::npu::graph
