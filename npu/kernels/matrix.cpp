#include "npu/kernels/matrix.h"

#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm_cpu_dispatch.h>

#include <bit>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

enum CubeMathType : int64_t { kKeep = 0, kAllowLower = 1, kUseFloat16 = 2, kUseHf32 = 3 };

at::Tensor to_hf32(const at::Tensor& tensor) {
    constexpr uint32_t kDropped = 12;  // of 23 bits of mantissa, 11 stay
    constexpr uint32_t kExponent = 0x7f800000;
    at::Tensor result = tensor.clone(at::MemoryFormat::Contiguous);
    float* values = result.mutable_data_ptr<float>();
    const int64_t count = result.numel();
    for (int64_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<uint32_t>(values[i]);
        if ((bits & kExponent) != kExponent) {
            const uint32_t to_even = (bits >> kDropped) & 1U;
            const uint32_t rounded = bits + (1U << (kDropped - 1)) - 1 + to_even;
            values[i] = std::bit_cast<float>(rounded >> kDropped << kDropped);
        }
    }
    return result;
}

}  // namespace

at::Tensor cube_operand(const at::Tensor& tensor, int64_t cube_math_type) {
    if (cube_math_type == kKeep || tensor.scalar_type() != at::kFloat) {
        return tensor;
    }
    return cube_math_type == kUseFloat16 ? tensor.to(at::kHalf).to(at::kFloat) : to_hf32(tensor);
}

void matmul(const at::Tensor& left, const at::Tensor& right, int64_t cube_math_type, at::Tensor& out) {
    const at::Tensor a = cube_operand(left, cube_math_type);
    const at::Tensor b = cube_operand(right, cube_math_type);
    const at::ScalarType dtype = out.scalar_type();
    if (a.scalar_type() != dtype || b.scalar_type() != dtype || dtype == at::kHalf) {
        // The unit accumulates in float32, whatever it reads; ATen's product of float16 is a plain loop
        // besides.
        assign(out, at::matmul(a.to(at::kFloat), b.to(at::kFloat)));
    } else if (a.dim() == 2 && b.dim() == 2) {
        at::cpu::mm_outf(a, b, out);
    } else if (a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0)) {
        at::cpu::bmm_outf(a, b, out);
    } else {
        assign(out, at::matmul(a, b));
    }
}

void addmm(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right, const at::Scalar& beta,
           const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out) {
    const at::Tensor a = cube_operand(left, cube_math_type);
    const at::Tensor b = cube_operand(right, cube_math_type);
    const at::ScalarType dtype = out.scalar_type();
    const bool same = self.scalar_type() == dtype && a.scalar_type() == dtype && b.scalar_type() == dtype &&
                      dtype != at::kHalf;
    if (same && a.dim() == 2) {
        at::cpu::addmm_outf(self, a, b, beta, alpha, out);
    } else if (same) {
        at::cpu::baddbmm_outf(self, a, b, beta, alpha, out);
    } else {
        at::Tensor sum = at::empty(out.sizes(), at::kFloat);
        addmm(self.to(at::kFloat), a.to(at::kFloat), b.to(at::kFloat), beta, alpha, kKeep, sum);
        assign(out, sum);
    }
}

}  // namespace opweld::npu::kernels
