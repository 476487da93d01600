#include "graph/operator_factory.h"

#include <string>

#include "npu/ge/abi/operator_impl.h"
#include "npu/ge/prototypes/functions.h"
#include "npu/ge/prototypes/instance.h"
#include "npu/ge/prototypes/registry.h"

namespace ge {

using opweld::npu::prototypes::find;

bool OperatorFactory::IsExistOp(const char* type) { return type != nullptr && find(type) != nullptr; }

Operator OperatorFactory::CreateOperator(const char* name, const char* type) {
    const auto* prototype = type == nullptr ? nullptr : find(type);
    if (prototype == nullptr) {
        return {};
    }
    const OpCreator create = opweld::npu::prototypes::functions(type).create;
    return create ? create(AscendString(name))
                  : opweld::npu::prototypes::make_operator(*prototype, name == nullptr ? "" : name);
}

graphStatus OperatorFactory::GetOpsTypeList(std::vector<AscendString>& types) {
    types.clear();
    for (const std::string_view type : opweld::npu::prototypes::types()) {
        types.emplace_back(type.data(), type.size());
    }
    return GRAPH_SUCCESS;
}

}  // namespace ge
