// How each argument and output of a spec looks in the C++ of the generated files. Pure functions of the
// model.
#ifndef OPWELD_CODEGEN_CPP_TYPES_H
#define OPWELD_CODEGEN_CPP_TYPES_H

#include <string>
#include <vector>

#include "codegen/plan.h"
#include "spec/model.h"

namespace opweld::codegen {

// Arguments of an operator's C++ function as PyTorch's dispatcher calls it.
std::string argument_type(const spec::InputDesc& input);
std::string argument_type(const spec::AttrDesc& attr);
// A member that keeps such an argument: at::IntArrayRef -> std::vector<int64_t>.
std::string stored_type(const spec::AttrDesc& attr);
// From an argument to the member and back to an argument.
std::string to_stored(const spec::AttrDesc& attr, const std::string& name);
std::string from_stored(const spec::AttrDesc& attr, const std::string& member);

// "at::Tensor", "std::vector<at::Tensor>", "int64_t".
std::string result_type(const spec::OutputDesc& output);
// void, one type, or a std::tuple.
std::string return_type(const spec::Operator& op);

// A value as a C++ expression of the argument's type.
std::string literal(const spec::Value& value, const spec::AttrType& type);
std::string scalar_type(spec::DType dtype);  // at::kFloat

// ---- kernels: what an attribute becomes beyond PyTorch
// -------------------------------------------------------------

// Device, Layout and MemoryFormat decide how outputs are made; a kernel does not get them.
bool reaches_kernel(const spec::AttrDesc& attr);
// Why a kernel can't be given this attribute; empty if it can.
std::string kernel_obstacle(const spec::AttrDesc& attr);
// Entries in OpweldCall::attributes: 2 for generators and lists of lists.
std::size_t kernel_slots(const spec::AttrDesc& attr);
// Members of the kernel's argument struct.
std::string kernel_type(const spec::InputDesc& input);
std::string kernel_type(const spec::AttrDesc& attr);
std::string kernel_type(const spec::OutputDesc& output);
// How the adapter reads them from `reader`.
std::string kernel_read(const spec::InputDesc& input, std::size_t slot);
std::string kernel_read(const spec::AttrDesc& attr, std::size_t slot);
std::string kernel_read(const spec::OutputDesc& output, std::size_t slot);

// The C++ element type of kernels: "float", "opweld::Half"; empty where kernels have none for it.
std::string element_type(spec::DType dtype);
// OPWELD_FLOAT32
std::string opweld_dtype(spec::DType dtype);

}  // namespace opweld::codegen

#endif
