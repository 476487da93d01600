// Checks of the recurrent layers.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// What says how many parameters there are.
struct Recurrence {
    bool has_biases;
    int64_t layers;
    bool bidirectional;

    size_t directions() const noexcept { return static_cast<size_t>(layers) * (bidirectional ? 2 : 1); }
};

// `params` has the weights (and biases) of each layer and direction, for as many gates.
void recurrent(int64_t gates, const Operand& input, const Operands& params, const Recurrence& recurrence);

// A list of `count` states of the shape of `model`.
void states(const Operands& list, size_t count, const Operand& model);
// [layers * directions, batch, hidden]; all of the same batch.
void states_of(const Operands& params, const Recurrence& recurrence, std::initializer_list<Operand> tensors);

// The output has the input's steps and the hidden sizes of the directions side by side.
void sequences(const Operands& params, const Recurrence& recurrence, const Operand& input,
               const Operand& output);

// What forward kept: a tensor for each layer and direction, with the hidden size last.
void kept(const Operands& params, const Recurrence& recurrence, std::initializer_list<Operands> lists);

// The gates have four times the width of the cell's state.
void cell_gates(const Operand& cx, std::initializer_list<Operand> gates,
                std::initializer_list<Operand> biases);

}  // namespace opweld::npu::aclnn::check
