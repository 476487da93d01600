// Checks of the normalizations.
#pragma once

#include "npu/aclnn/call/check_gradients.h"

namespace opweld::npu::aclnn::check {

// Each tensor that is there has one element for each channel (dimension 1) of the input.
void channels(const Operand& input, std::initializer_list<Operand> tensors);

// Statistics that an evaluation needs, or that the gradients of a training step need.
void running_statistics(bool training, const Operand& mean, const Operand& variance);
void saved_statistics(bool training, const Operand& mean, const Operand& invstd);

// The input ends with `shape`, and each tensor that is there has it.
void normalized(const Operand& input, std::span<const int64_t> shape, std::initializer_list<Operand> tensors);

// Each tensor has one element for each normalized part of the input.
void layer_statistics(const Operand& input, std::span<const int64_t> shape,
                      std::initializer_list<Operand> tensors);

struct GroupArguments {
    int64_t n;
    int64_t channels;
    int64_t area;
    int64_t groups;
};

// The input has the numbers' elements; parameters have one for each channel, statistics one for each group.
void grouped(const Operand& input, const GroupArguments& groups, std::initializer_list<Operand> parameters,
             std::initializer_list<Operand> statistics);

}  // namespace opweld::npu::aclnn::check
