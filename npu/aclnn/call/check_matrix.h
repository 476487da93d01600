// Checks of matrix products.
#pragma once

#include "npu/aclnn/call/check.h"

namespace opweld::npu::aclnn::check {

// The output of a matrix product as torch.matmul does it: vectors, matrices, batches that broadcast.
void product(const Operand& left, const Operand& right, const Operand& output);

// 0 keep the dtype, 1 allow lower precision, 2 use float16, 3 use HF32.
void cube_math(int64_t cube_math_type);

}  // namespace opweld::npu::aclnn::check
