#include "npu/kernels/nn/embedding.h"

#include <ATen/ops/aminmax.h>
#include <ATen/ops/embedding_dense_backward_native.h>
#include <ATen/ops/index_select_cpu_dispatch.h>

#include <string>
#include <tuple>

#include "npu/kernels/nn/normalization_util.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// An index outside the table must be an error here: ATen's own checks differ between its kernels.
void check_range(const at::Tensor& indices, int64_t rows) {
    const auto [least, greatest] = at::aminmax(indices);
    const auto low = least.item<int64_t>();
    const auto high = greatest.item<int64_t>();
    if (low < 0 || high >= rows) {
        throw AclException(361001, "argument 'indices' has the value " +
                                       std::to_string(low < 0 ? low : high) + ", but the table has " +
                                       std::to_string(rows) + " rows");
    }
}

}  // namespace

void embedding(const at::Tensor& weight, const at::Tensor& indices, at::Tensor& out) {
    if (out.numel() == 0) {
        return;
    }
    check_range(indices, weight.size(0));
    const at::Tensor flat = indices.reshape({-1});
    if (out.is_contiguous()) {
        at::Tensor rows = out.view({flat.numel(), weight.size(1)});
        at::cpu::index_select_outf(weight, 0, flat, rows);
    } else {
        assign(out, at::cpu::index_select(weight, 0, flat).view(out.sizes()));
    }
}

void embedding_dense_backward(const at::Tensor& grad_output, const at::Tensor& indices, int64_t num_weights,
                              int64_t padding_idx, bool scale_grad_by_freq, at::Tensor& out) {
    if (indices.numel() != 0) {
        check_range(indices, num_weights);
    }
    const at::Tensor grad = grad_output.to(parameter_dtype(grad_output)).contiguous();
    assign(out, at::native::embedding_dense_backward_cpu(grad, indices.contiguous(), num_weights, padding_idx,
                                                         scale_grad_by_freq));
}

}  // namespace opweld::npu::kernels
