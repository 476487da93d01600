// The recurrent operators of the older single-operator interface (npu/aclop), each for one layer and
// direction with time first: DynamicRNN, DynamicRNNV2, DynamicGRUV2 and their gradients.
//
// Weights are [features, gates * hidden]; DynamicRNN has those of input and state in one tensor, one below
// the other. A mask (float16, [time, batch, hidden], optional) is 1 where a sequence has a step; it must be
// like batch sizes that don't rise. States repeat where a sequence has none, outputs are zero there.
#pragma once

#include "npu/kernels/dense.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

// Runs the operator of this type on tensors in the operator's order. `backwards`: from the last time to the
// first. Throws AclException: 161002 for an unknown type, 507015 for tensors that don't fit.
using RunDynamicRnn = void (*)(const char* op_type, std::span<const DenseTensor> inputs,
                               std::span<const DenseTensor> outputs, bool backwards);

}  // namespace opweld::npu::kernels

// A RunDynamicRnn for whoever loads the library at run time.
extern "C" OPWELD_EXPORT void opweld_run_dynamic_rnn(
    const char* op_type, std::span<const opweld::npu::kernels::DenseTensor> inputs,
    std::span<const opweld::npu::kernels::DenseTensor> outputs, bool backwards);
