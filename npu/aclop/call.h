// One call of an operator through the single-operator interface.
#pragma once

#include <span>
#include <string>

#include "npu/aclop/objects.h"

namespace opweld::npu::aclop {

// Views of what the caller passed, valid during the call only. Buffers may be missing (empty spans).
struct Call {
    const char* op_type;
    std::span<const aclTensorDesc* const> inputs;
    std::span<const aclTensorDesc* const> outputs;
    std::span<const aclDataBuffer* const> input_buffers;
    std::span<const aclDataBuffer* const> output_buffers;
    const aclopAttr* attributes;
    void* stream;
};

// "Identity(float32[2,3], axis=1) -> float32[2,3]"
std::string story(const Call& call);

// Checks the call and puts its work on the stream. Throws AclException; the message needs no operator name.
using Operator = void (*)(const Call&);

// The operator of this type, null where it is not implemented.
Operator find_operator(std::string_view op_type) noexcept;

// Copies a tensor between plain formats, whose elements lie alike. Refuses others (torch_npu casts formats
// with it).
void identity(const Call& call);

// Recurrent layers and their gradients, by kernels/nn/dynamic_rnn.h: torch_npu runs nn.LSTMCell with them,
// nn.LSTM unless it has one layer and one direction, and both nn.LSTM and nn.GRU in bfloat16.
void recurrent(const Call& call);

// Fill, Transpose, MatMul, DropOutGenMaskV3 and DropOutDoMaskV3, by kernels/dense_operators.h.
void plain(const Call& call);

}  // namespace opweld::npu::aclop
