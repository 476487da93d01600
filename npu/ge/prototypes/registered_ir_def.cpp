// What torchair asks before it makes a node of an operator of somebody's own.
#include <string_view>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "npu/ge/prototypes/registry.h"
#include "npu/runtime/interface.h"

namespace {

using Pairs = std::vector<std::pair<ge::AscendString, ge::AscendString>>;
using opweld::npu::prototypes::Port;
using opweld::npu::prototypes::PortKind;

const char* kind_name(PortKind kind) {
    switch (kind) {
        case PortKind::kOptional:
            return "optional";
        case PortKind::kDynamic:
            return "dynamic";
        default:
            return "required";
    }
}

void append(const std::vector<Port>& ports, Pairs& pairs) {
    for (const Port& port : ports) {
        pairs.emplace_back(port.name.c_str(), kind_name(port.kind));
    }
}

}  // namespace

extern "C" OPWELD_EXPORT ge::graphStatus GetRegisteredIrDef(const char* type, Pairs& inputs, Pairs& outputs,
                                                            Pairs& attributes);

ge::graphStatus GetRegisteredIrDef(const char* type, Pairs& inputs, Pairs& outputs, Pairs& attributes) {
    constexpr int kUnknown = 100001;
    if (type == nullptr) {
        opweld::npu::fail(kUnknown, "GetRegisteredIrDef: argument type is null");
        return ge::GRAPH_FAILED;
    }
    const auto* prototype = opweld::npu::prototypes::find(type);
    if (prototype == nullptr) {
        opweld::npu::fail(kUnknown, "operator type " + std::string(type) +
                                        " has no prototype: no library in op_proto of a vendor package on "
                                        "ASCEND_CUSTOM_OPP_PATH registers it, and it is no standard type");
        return ge::GRAPH_FAILED;
    }
    append(prototype->inputs, inputs);
    append(prototype->outputs, outputs);
    for (const auto& attribute : prototype->attributes) {
        attributes.emplace_back(attribute.name.c_str(), attribute.type.c_str());
    }
    return ge::GRAPH_SUCCESS;
}
