// Element types of tensors, under PyTorch's names, and what each is called elsewhere. One table; no state.
#ifndef OPWELD_SPEC_DTYPES_H
#define OPWELD_SPEC_DTYPES_H

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opweld::spec {

enum class DType {
    Float32,
    Float16,
    BFloat16,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Bool,
    Complex32,
    Complex64,
    Complex128,
    Float8E4M3FN,
    Float8E5M2,
    Float8E8M0FNU,
};

struct DTypeInfo {
    DType dtype;
    std::string_view name;      // torch.<name>, and the name in a spec: "float32"
    std::string_view at_name;   // at::<at_name>: "kFloat"
    std::string_view ge_name;   // ge::<ge_name> and the graph engine's text form: "DT_FLOAT"
    std::string_view acl_name;  // aclDataType: "ACL_FLOAT"
    bool floating;              // float types, complex not included
    bool complex;
    int scalar_type;  // number of at::ScalarType: how a schema writes a default dtype
};

// All dtypes in the order of the enumeration.
std::span<const DTypeInfo> dtype_table();
const DTypeInfo& info(DType dtype);

// PyTorch's name ("float32").
std::string_view name(DType dtype);

// Accepts PyTorch's names ("float32", "half"), "torch.float32", and msopgen's ("fp16", "float", "bf16",
// "double" ...).
std::optional<DType> parse_dtype(std::string_view text);

// Whether an input of this dtype can require a gradient.
inline bool differentiable(DType dtype) { return info(dtype).floating || info(dtype).complex; }

// Every spelling that parse_dtype accepts, for suggestions and editors: PyTorch's names first.
std::vector<std::string_view> dtype_spellings();

}  // namespace opweld::spec

#endif
