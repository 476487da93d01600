// The function table as JSON, for tools and tests.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "npu/aclnn/call/function.h"
#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn {
namespace {

const char* kind_name(Kind kind) noexcept {
    constexpr const char* kNames[] = {"tensor", "tensors", "scalar", "scalars", "ints",  "floats",
                                      "bools",  "integer", "real",   "bool",    "dtype", "string"};
    return kNames[static_cast<size_t>(kind)];
}

std::string dtypes(uint64_t mask) {
    std::vector<std::string> names;
    for (int32_t dtype = 0; dtype < 64; ++dtype) {
        if ((mask & bit(dtype)) != 0) {
            names.push_back(fmt::format("\"{}\"", dtype_name(dtype)));
        }
    }
    return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string describe(const Parameter& parameter) {
    return fmt::format(
        R"({{"name": "{}", "kind": "{}", "type": "{}", "read": {}, "written": {}, "optional": {}, "dtypes": {}}})",
        parameter.name, kind_name(parameter.kind), parameter.c_type, parameter.read, parameter.written,
        parameter.optional, dtypes(parameter.dtypes));
}

std::string describe(const Function& function) {
    std::vector<std::string> parameters;
    for (const Parameter& parameter : function.parameters) {
        parameters.push_back(describe(parameter));
    }
    return fmt::format(R"({{"name": "{}", "pointwise": {}, "dynamic": {}, "parameters": [{}]}})",
                       function.name, function.pointwise, function.dynamic, fmt::join(parameters, ", "));
}

std::string describe_all() {
    std::vector<std::string> rows;
    for (const Function* function : all_functions()) {
        rows.push_back(describe(*function));
    }
    return fmt::format("[{}]\n", fmt::join(rows, ",\n"));
}

}  // namespace

// The text lives as long as the library. Null if the host is out of memory.
extern "C" OPWELD_EXPORT const char* opweldDescribeFunctions() {
    return guarded("opweldDescribeFunctions", static_cast<const char*>(nullptr), [] {
        static const std::string kText = describe_all();
        return kText.c_str();
    });
}

}  // namespace opweld::npu::aclnn
