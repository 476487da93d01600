// Calls of aclnn functions that are found by name.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace opweld::npu::graph {

// Both phases of a function.
struct AclnnFunction {
    std::string name;  // "aclnnCustomLinear"
    void* first = nullptr;
    void* second = nullptr;
    std::string library;
};

// Looks in the libraries of the vendor packages that ASCEND_CUSTOM_OPP_PATH names, in its order. `first` is
// null where none has it; `searched` then gets the libraries.
AclnnFunction find_vendor_function(const std::string& name, std::vector<std::string>& searched);

// One argument; a tensor that is left out is std::nullopt.
using AclnnArgument =
    std::variant<std::optional<at::Tensor>, std::vector<at::Tensor>, at::Scalar, int64_t, int32_t, double,
                 bool, std::string, std::vector<int64_t>, std::vector<float>, std::vector<bool>>;

// Runs both phases at once, on this thread. CPU tensors, which may lie in device memory. Throws GraphError
// with the function's error text.
void call_aclnn(const AclnnFunction& function, const std::vector<AclnnArgument>& arguments);

}  // namespace opweld::npu::graph
