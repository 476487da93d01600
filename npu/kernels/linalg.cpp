#include "npu/kernels/linalg.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_cdist_backward_cpu_dispatch.h>
#include <ATen/ops/_cdist_forward_cpu_dispatch.h>
#include <ATen/ops/_linalg_slogdet_cpu_dispatch.h>
#include <ATen/ops/_linalg_svd_cpu_dispatch.h>
#include <ATen/ops/_pdist_forward_cpu_dispatch.h>
#include <ATen/ops/addbmm_cpu_dispatch.h>
#include <ATen/ops/linalg_qr_cpu_dispatch.h>
#include <ATen/ops/linalg_solve_triangular_cpu_dispatch.h>
#include <ATen/ops/ne_cpu_dispatch.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/renorm_cpu_dispatch.h>
#include <ATen/ops/sum_cpu_dispatch.h>
#include <ATen/ops/where.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

// How often a number other than zero occurs along each index of a dimension.
at::Tensor nonzeros(const at::Tensor& self, int64_t dim) {
    std::vector<int64_t> others(static_cast<size_t>(self.dim()));
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + (dim < 0 ? dim + self.dim() : dim));
    return at::cpu::sum(at::cpu::ne(self, 0), others, true, at::kFloat);
}

}  // namespace

at::Tensor wide(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16 ? tensor.to(at::kFloat)
                                                                                      : tensor;
}

void addmv(const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta,
           const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out) {
    const at::Tensor added = self.expand(out.sizes()).unsqueeze(1);
    const at::Tensor result = wide(out);
    at::Tensor column = result.unsqueeze(1);
    addmm(wide(added), wide(mat), wide(vec.unsqueeze(1)), beta, alpha, cube_math_type, column);
    if (!result.is_same(out)) {
        assign(out, result);
    }
}

void addbmm(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right, const at::Scalar& beta,
            const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out) {
    const at::Tensor a = cube_operand(left, cube_math_type);
    const at::Tensor b = cube_operand(right, cube_math_type);
    if (out.scalar_type() == at::kFloat && self.scalar_type() == at::kFloat &&
        a.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat) {
        at::cpu::addbmm_outf(self, a, b, beta, alpha, out);
    } else {
        assign(out, at::cpu::addbmm(self.to(at::kFloat), a.to(at::kFloat), b.to(at::kFloat), beta, alpha));
    }
}

void qr(const at::Tensor& self, int64_t mode, at::Tensor& q, at::Tensor& r) {
    constexpr std::array<std::string_view, 3> kModes{"reduced", "complete", "r"};
    const auto factors = at::cpu::linalg_qr(self, kModes.at(static_cast<size_t>(mode)));
    if (mode != 2) {
        assign(q, std::get<0>(factors));
    }
    assign(r, std::get<1>(factors));
}

void svd(const at::Tensor& self, bool full_matrices, bool compute_uv, at::Tensor& s, at::Tensor& u,
         at::Tensor& v) {
    const auto factors = at::cpu::_linalg_svd(self, full_matrices, compute_uv);
    assign(s, std::get<1>(factors));
    if (compute_uv) {
        assign(u, std::get<0>(factors));
        assign(v, std::get<2>(factors).transpose(-2, -1));
    }
}

void triangular_solve(const at::Tensor& self, const at::Tensor& a, bool upper, bool transpose,
                      bool unitriangular, at::Tensor& x, at::Tensor& m) {
    const at::Tensor matrix = transpose ? a.transpose(-2, -1) : a;
    assign(x, at::cpu::linalg_solve_triangular(matrix, self, upper != transpose, true, unitriangular));
    assign(m, a.expand(m.sizes()));
}

void slogdet(const at::Tensor& self, at::Tensor& sign, at::Tensor& log) {
    const auto results = at::cpu::_linalg_slogdet(self);
    assign(sign, std::get<0>(results));
    assign(log, std::get<1>(results));
}

void cdist(const at::Tensor& x1, const at::Tensor& x2, double p, int64_t compute_mode, at::Tensor& out) {
    assign(out, at::cpu::_cdist_forward(wide(x1), wide(x2), p, compute_mode));
}

void cdist_backward(const at::Tensor& grad, const at::Tensor& x1, const at::Tensor& x2,
                    const at::Tensor& cdist, double p, at::Tensor& out) {
    const double norm = p < 0 ? std::numeric_limits<double>::infinity() : p;
    assign(out, at::cpu::_cdist_backward(wide(grad).contiguous(), wide(x1).contiguous(),
                                         wide(x2).contiguous(), norm, wide(cdist).contiguous()));
}

void renorm(const at::Tensor& self, const at::Scalar& p, int64_t dim, const at::Scalar& maxnorm,
            at::Tensor& out) {
    if (p.toDouble() != 0) {
        at::cpu::renorm_outf(self, p, dim, maxnorm, out);
        return;
    }
    constexpr double kEpsilon = 1e-7;  // as for other norms
    const at::Tensor norm = nonzeros(self, dim);
    const at::Tensor factor = maxnorm.toDouble() / (norm + kEpsilon);
    assign(out, wide(self) * at::where(norm > maxnorm, factor, at::ones({}, at::kFloat)));
}

void pdist(const at::Tensor& self, double p, at::Tensor& out) {
    assign(out, at::cpu::_pdist_forward(wide(self).contiguous(), p));
}

}  // namespace opweld::npu::kernels
