// What the operator types of graphs look like that a package brings along: one for each root operator.
#ifndef OPWELD_CODEGEN_GRAPH_OPERATOR_H
#define OPWELD_CODEGEN_GRAPH_OPERATOR_H

#include <string>
#include <vector>

#include "codegen/plan.h"

namespace opweld::codegen {

// An attribute of a graph operator. One of a spec may need two: see graph_attributes.
struct GraphAttribute {
    std::string name;
    std::string type;           // as REG_OP names it: "ListInt"
    std::string default_value;  // C++; empty: required
};

// Why there can be no graph operator; empty if there can.
std::string graph_obstacle(const OperatorPlan& plan);

// Whether graphs get the operator's formula instead of it: where the spec says so, and where the formula is
// all there is.
bool decomposes(const OperatorPlan& plan);
// Whether the package registers a prototype for the operator, which is a root.
bool has_prototype(const OperatorPlan& plan, const PackagePlan& package);
// Whether the package has a converter of its own making for the operator.
bool has_converter(const OperatorPlan& plan, const PackagePlan& package);

// An optional attribute x is two: has_x, and x, which counts if has_x. A Scalar x is two: x_dtype, and x as a
// real number. Device, Layout and MemoryFormat are none.
std::vector<GraphAttribute> graph_attributes(const spec::AttrDesc& attr);

// "ListInt" of an attribute's value.
std::string graph_attribute_type(const spec::AttrType& type);

// The inputs that the operator writes into: each is an output of the same name, before the operator's own.
std::vector<std::size_t> mutated_inputs(const OperatorPlan& plan);

}  // namespace opweld::codegen

#endif
