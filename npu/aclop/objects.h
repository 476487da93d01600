// The descriptions that callers of the single-operator interface build: tensors, buffers, attributes.
//
// The names are those of the C interface, which knows these types as opaque. Whoever creates an object
// destroys it; none is shared between threads without the caller's own ordering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

struct aclTensorDesc {
    int dtype = 0;      // aclDataType
    int format = 0;     // aclFormat
    int placement = 0;  // kDevice, or a kind of host memory
    std::vector<int64_t> shape;
    std::string name;
};

struct aclDataBuffer {
    void* data = nullptr;  // device memory of the caller
    size_t size = 0;       // bytes
};

namespace opweld::npu::aclop {

constexpr int kDevice = 0;  // aclMemType

struct DataType {
    int number = 0;  // aclDataType
};

using Attribute = std::variant<bool, int64_t, float, std::string, DataType, std::vector<bool>,
                               std::vector<int64_t>, std::vector<float>, std::vector<std::vector<int64_t>>>;

// "float32[2,3]"; an unknown type is "dtype 99".
std::string describe(const aclTensorDesc& tensor);

// Of its elements; raises for a dtype of unknown size and for a size that does not fit.
size_t byte_size(const aclTensorDesc& tensor);

// "axis=1"
std::string describe(const std::string& name, const Attribute& attribute);

}  // namespace opweld::npu::aclop

struct aclopAttr {
    std::map<std::string, opweld::npu::aclop::Attribute> values;
};
