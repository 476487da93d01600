// One operator of a graph, as InferShape functions are given it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/operator.h"
#include "npu/ge/prototypes/prototype.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

// An input that is there; of a dynamic one each part.
struct InstanceInput {
    std::string name;  // "x", of a dynamic one "x0"
    ::ge::TensorDesc desc;
    std::optional<::ge::Tensor> constant;  // where its value is known before the graph runs
};

struct Instance {
    std::string name;
    std::vector<InstanceInput> inputs;
    std::map<std::string, AttributeValue> attributes;  // the others have their defaults
    std::map<std::string, int> dynamic_outputs;        // how many parts each has
};

// An operator of that type without inputs: what ge::OperatorFactory makes of standard types.
OPWELD_EXPORT ::ge::Operator make_operator(const Prototype& prototype, const std::string& name);

// What the verifier and the InferShape function of the type's library say of the outputs, in the order of the
// prototype, each part of a dynamic one by itself. Throws AclException where there is no such function, where
// it fails, or where the instance does not fit the prototype; the message names type and operator.
OPWELD_EXPORT std::vector<::ge::TensorDesc> infer(const Prototype& prototype, const Instance& instance);

}  // namespace opweld::npu::prototypes
