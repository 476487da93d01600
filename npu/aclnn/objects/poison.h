// OPWELD_POISON=1: memory of an output is filled before its kernel runs, so that a kernel which does not
// write all of it is found instead of returning what lay there before.
#pragma once

#include <span>

#include "opweld/kernel.h"

namespace opweld::npu::aclnn {

// Whether the process asked for it. Constant for the life of the process.
bool poisoning() noexcept;

// Sets every byte of the elements of `outputs` to 0xFF (NaN for floating-point numbers, -1 for signed
// integers), but of tensors that share memory with one of `inputs`.
void poison(std::span<const OpweldValue> outputs, std::span<const OpweldValue> inputs) noexcept;

}  // namespace opweld::npu::aclnn
