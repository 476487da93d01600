// Powers and logarithms with the base, scale and shift that their prototypes have, and the quotient of two
// dtypes.
#pragma once

#include <ATen/core/Tensor.h>

namespace opweld::npu::graph {

// base ** (scale * x + shift); a negative base stands for e.
at::Tensor exp_to_base(const at::Tensor& x, double base, double scale, double shift);

// log_base(scale * x + shift); a negative base stands for e.
at::Tensor log_to_base(const at::Tensor& x, double base, double scale, double shift);

// The quotient; of integers it is rounded towards zero.
at::Tensor divide(const at::Tensor& x1, const at::Tensor& x2);

}  // namespace opweld::npu::graph
