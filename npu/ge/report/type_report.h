// What `opweld verify` and `opweld doctor` ask about operator types of graphs.
#pragma once

#include <string>
#include <string_view>

namespace opweld::npu::graph {

// The prototype of a type as JSON text: its inputs, outputs and attributes with their defaults, the library
// that registered it ("" for a standard type) and whether that has an InferShape function. "null" where the
// type has no prototype.
std::string type_report(std::string_view type);

// What the type's InferShape function says of its outputs, in their order, as JSON text: a list of dtype (as
// number of ge::DataType) and shape (-1: any size, [-2]: any rank). The request is a JSON object of `name`,
// `inputs` (a list of name, dtype, shape and, for constants, bytes), `attributes` by name, and `parts`, how
// many tensors each dynamic output has. Throws AclException, and std::invalid_argument for a request that
// does not fit the prototype.
std::string infer_report(std::string_view type, std::string_view request);

}  // namespace opweld::npu::graph
