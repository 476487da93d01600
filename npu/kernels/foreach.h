// Helpers of the rows of functions over lists.
#pragma once

#include <ATen/core/Tensor.h>

namespace opweld::npu::kernels {

// Rounds by a code: 1 to nearest, ties to even; 2 down; 3 up; 5 towards zero; 7 leaves the fractional part.
// Throws for another code.
void round_off(const at::Tensor& self, const at::Scalar& mode, at::Tensor& out);

}  // namespace opweld::npu::kernels
