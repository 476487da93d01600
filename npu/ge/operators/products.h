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

// The product of two batches of matrices whose dimensions are put in another order before it, and the
// result's after it; an empty order leaves them. With `split` > 1 the batches are cut into so many groups,
// each of which has its matrices side by side: [split, rows, batches / split * columns].
struct Orders {
    at::IntArrayRef x1;
    at::IntArrayRef x2;
    at::IntArrayRef y;
    int64_t split;
};
at::Tensor permuted_product(const at::Tensor& x1, const at::Tensor& x2, const std::optional<at::Tensor>& bias,
                            const Orders& orders);

}  // namespace opweld::npu::graph
