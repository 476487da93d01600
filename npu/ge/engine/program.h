// A graph whose nodes are bound to their operators: names, kinds and types of inputs, outputs and attributes
// agree with the prototypes. Independent of shapes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "npu/ge/model/graph.h"
#include "npu/ge/operators/operator.h"

namespace opweld::npu::graph {

// A node with its operator; none for Data, Const and NetOutput.
struct BoundNode {
    const Operator* op = nullptr;
    std::vector<std::vector<Source>> inputs;  // for each input of the prototype
    std::vector<Attribute> attributes;        // for each attribute of the prototype
    at::Tensor constant;                      // of a Const node: a CPU tensor over the model's bytes
};

struct Program {
    Graph graph;
    std::vector<BoundNode> nodes;  // like graph.nodes
    // Operators that are no rows of the table: those of vendor packages.
    std::vector<std::shared_ptr<const Operator>> foreign;
};

// Finds an operator that is no row of the table; null where there is none.
using ForeignOperators = std::function<std::shared_ptr<const Operator>(const Node& node)>;

// Throws a GraphError that names the node, its type, and what the prototype says.
Program bind_program(Graph graph, const ForeignOperators& foreign = {});

// Binds one node.
BoundNode bind_node(const Node& node, const Operator& op);

bool is_data(const Node& node) noexcept;
bool is_constant(const Node& node) noexcept;

}  // namespace opweld::npu::graph
