// Matrix products with transposed operands and a bias.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace opweld::npu::graph {

// x1 @ x2 (+ bias); leading dimensions broadcast. `transpose`: the operand's last two dimensions change
// places first.
at::Tensor matrix_product(const at::Tensor& x1, const at::Tensor& x2, bool transpose_x1, bool transpose_x2,
                          const std::optional<at::Tensor>& bias);

// The same into a tensor of the right form.
void matrix_product_into(at::Tensor& y, const at::Tensor& x1, const at::Tensor& x2, bool transpose_x1,
                         bool transpose_x2, const std::optional<at::Tensor>& bias);

}  // namespace opweld::npu::graph
