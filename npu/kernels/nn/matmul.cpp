#include "npu/kernels/nn/matmul.h"

#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/matmul_native.h>
#include <ATen/ops/mm_cpu_dispatch.h>

#include "npu/kernels/nn/cube_math.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

at::Tensor operand(const at::Tensor& tensor, int64_t cube_math_type, at::ScalarType dtype) {
    return cube_operand(tensor, cube_math_type, CubeDefault::full).to(dtype);
}

}  // namespace

void matmul(const at::Tensor& self, const at::Tensor& mat2, int64_t cube_math_type, at::Tensor& out) {
    const at::Tensor a = operand(self, cube_math_type, out.scalar_type());
    const at::Tensor b = operand(mat2, cube_math_type, out.scalar_type());
    if (a.dim() == 2 && b.dim() == 2) {
        at::cpu::mm_outf(a, b, out);
    } else if (a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0)) {
        at::cpu::bmm_outf(a, b, out);
    } else {
        assign(out, at::native::matmul(a, b));
    }
}

void baddbmm(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta,
             const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out) {
    at::cpu::baddbmm_outf(self.to(out.scalar_type()), operand(batch1, cube_math_type, out.scalar_type()),
                          operand(batch2, cube_math_type, out.scalar_type()), beta, alpha, out);
}

}  // namespace opweld::npu::kernels
