#include "npu/kernels/onednn_product.h"

#include <ATen/Context.h>
#include <ATen/ops/mm.h>

// libtorch_cpu exports it; torch ships no header that says so. y = beta * y + alpha * a b, of two matrices.
namespace at::native {
void mkldnn_matmul(const Tensor& a, const Tensor& b, const Tensor& y, float beta, float alpha);
}

namespace opweld::npu::kernels {

bool suits_onednn(const at::Tensor& a, const at::Tensor& b, const at::Tensor& y) {
    static const bool kAvailable = at::hasMKLDNN();
    return kAvailable && at::globalContext().userEnabledMkldnn() && a.scalar_type() == at::kFloat &&
           b.scalar_type() == at::kFloat && y.is_contiguous() && a.numel() > 0 && b.numel() > 0;
}

void onednn_product(at::Tensor& y, const at::Tensor& a, const at::Tensor& b, float beta) {
    at::native::mkldnn_matmul(a, b, y, beta, 1);
}

void multiply_into(at::Tensor& y, const at::Tensor& a, const at::Tensor& b) {
    if (suits_onednn(a, b, y)) {
        onednn_product(y, a, b, 0);
    } else {
        at::mm_out(y, a, b);
    }
}

}  // namespace opweld::npu::kernels
