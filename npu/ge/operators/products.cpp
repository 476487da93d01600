#include "npu/ge/operators/products.h"

#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <fmt/format.h>

#include "npu/ge/model/graph.h"
#include "npu/kernels/onednn_product.h"

namespace opweld::npu::graph {
namespace {

at::Tensor turned(const at::Tensor& x, bool transpose) { return transpose ? x.transpose(-1, -2) : x; }

// ATen's product of float16 is a plain loop, and the device's unit accumulates in float32.
bool widens(const at::Tensor& x) { return x.scalar_type() == at::kHalf && !x.is_meta(); }

at::Tensor widened_product(const at::Tensor& a, const at::Tensor& b, const std::optional<at::Tensor>& bias) {
    const at::Tensor product = at::matmul(a.to(at::kFloat), b.to(at::kFloat));
    return (bias ? at::add(product, *bias) : product).to(at::kHalf);
}

at::Tensor permuted(const at::Tensor& x, at::IntArrayRef order) {
    return order.empty() ? x : x.permute(order);
}

bool is_vector(const std::optional<at::Tensor>& bias) { return bias && bias->dim() == 1; }

}  // namespace

at::Tensor matrix_product(const at::Tensor& x1, const at::Tensor& x2, bool transpose_x1, bool transpose_x2,
                          const std::optional<at::Tensor>& bias) {
    const at::Tensor a = turned(x1, transpose_x1);
    const at::Tensor b = turned(x2, transpose_x2);
    if (widens(a) && widens(b)) {
        return widened_product(a, b, bias);
    }
    if (a.dim() == 2 && b.dim() == 2 && is_vector(bias) && bias->scalar_type() == a.scalar_type()) {
        return at::addmm(*bias, a, b);
    }
    const at::Tensor product = at::matmul(a, b);
    return bias ? at::add(product, *bias).to(product.scalar_type()) : product;
}

void matrix_product_into(at::Tensor& y, const at::Tensor& x1, const at::Tensor& x2, bool transpose_x1,
                         bool transpose_x2, const std::optional<at::Tensor>& bias) {
    const at::Tensor a = turned(x1, transpose_x1);
    const at::Tensor b = turned(x2, transpose_x2);
    if (widens(a) && widens(b)) {
        y.copy_(widened_product(a, b, bias));
        return;
    }
    if (a.dim() == 2 && b.dim() == 2) {
        if (!bias) {
            kernels::multiply_into(y, a, b);
            return;
        }
        if (is_vector(bias) && bias->scalar_type() == a.scalar_type()) {
            if (kernels::suits_onednn(a, b, y)) {
                y.copy_(bias->expand_as(y));
                kernels::onednn_product(y, a, b, 1);
            } else {
                at::addmm_out(y, *bias, a, b);
            }
            return;
        }
    }
    if (a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0)) {
        at::bmm_out(y, a, b);
    } else {
        at::matmul_out(y, a, b);
    }
    if (bias) {
        y.add_(*bias);
    }
}

at::Tensor permuted_product(const at::Tensor& x1, const at::Tensor& x2, const std::optional<at::Tensor>& bias,
                            const Orders& orders) {
    constexpr int64_t kBatched = 3;
    const at::Tensor product =
        matrix_product(permuted(x1, orders.x1), permuted(x2, orders.x2), false, false, bias);
    if (orders.split == 1) {
        return permuted(product, orders.y).contiguous();
    }
    if (product.dim() != kBatched || orders.split < 1 || product.size(0) % orders.split != 0) {
        throw GraphError(
            fmt::format("attribute 'batch_split_factor' is {}, which does not divide the batches of {}",
                        orders.split, shape_text(product.sizes().vec())));
    }
    const int64_t group = product.size(0) / orders.split;
    const int64_t rows = product.size(1);
    return product.reshape({orders.split, group, rows, product.size(2)})
        .transpose(1, 2)
        .reshape({orders.split, rows, group * product.size(2)});
}

}  // namespace opweld::npu::graph
