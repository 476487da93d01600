// Reduced precision of float32 operands of the matrix unit, as a program asks for it with the argument cubeMathType.
//
//   0 keep       float32 as it is
//   1 allow      the device may reduce; here nothing is reduced
//   2 float16    operands are rounded to float16
//   3 HF32       operands are rounded to 11 bits of mantissa
//   4 float32    float32 accumulation, as 0
// Products are accumulated in float32 in all of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opweld::npu::kernels {

// What torch_npu passes if the program says nothing.
enum class CubeDefault {
    full,    // full precision: a reduced mode is the program's wish, and is applied
    reduced  // a reduced mode, so it is no wish: applied only with OPWELD_HF32=1, so that results equal the CPU's
};

// The operand as the matrix unit sees it; other dtypes than float32 are returned as they are.
at::Tensor cube_operand(const at::Tensor& operand, int64_t cube_math_type, CubeDefault by_default);

}  // namespace opweld::npu::kernels
