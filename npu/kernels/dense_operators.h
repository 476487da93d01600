// The operators of the older single-operator interface (npu/aclop) that no layer is: Fill, Transpose, MatMul,
// DropOutGenMaskV3 (a byte for each element, 1 where it is kept) and DropOutDoMaskV3.
#pragma once

#include "npu/kernels/dense.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// An attribute that is an integer or a flag.
struct NamedNumber {
    std::string_view name;
    int64_t value;
};

// Runs the operator of this type on tensors in the operator's order. Throws AclException: 161002 for an
// unknown type, 507015 for tensors that don't fit.
using RunDenseOperator = void (*)(const char* op_type, std::span<const DenseTensor> inputs,
                                  std::span<const DenseTensor> outputs, std::span<const NamedNumber> numbers);

}  // namespace opweld::npu::kernels

// A RunDenseOperator for whoever loads the library at run time.
extern "C" OPWELD_EXPORT void opweld_run_dense_operator(
    const char* op_type, std::span<const opweld::npu::kernels::DenseTensor> inputs,
    std::span<const opweld::npu::kernels::DenseTensor> outputs,
    std::span<const opweld::npu::kernels::NamedNumber> numbers);
