// Helpers of the linear algebra functions' rows. What LAPACK can't do (a matrix that is singular or not
// positive definite) throws.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "npu/kernels/matrix.h"

namespace opweld::npu::kernels {

// 16-bit numbers as float32, others as they are.
at::Tensor wide(const at::Tensor& tensor);

// out = beta * self + alpha * (mat @ vec)
void addmv(const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta,
           const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out);

// out = beta * self + alpha * (the sum over the batch of left @ right)
void addbmm(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right, const at::Scalar& beta,
            const at::Scalar& alpha, int64_t cube_math_type, at::Tensor& out);

// self = q r. Mode 0 gives as many columns of q as are needed, 1 all of them, 2 no q.
void qr(const at::Tensor& self, int64_t mode, at::Tensor& q, at::Tensor& r);

// self = u diag(s) transposed(v); u and v are left alone unless compute_uv.
void svd(const at::Tensor& self, bool full_matrices, bool compute_uv, at::Tensor& s, at::Tensor& u,
         at::Tensor& v);

// x solves a x = self for a triangle of a (transposed if asked); m becomes a copy of a, in the batch of x.
void triangular_solve(const at::Tensor& self, const at::Tensor& a, bool upper, bool transpose,
                      bool unitriangular, at::Tensor& x, at::Tensor& m);

// The determinant as its sign and the logarithm of its magnitude.
void slogdet(const at::Tensor& self, at::Tensor& sign, at::Tensor& log);

// Distances in the p-norm, for each batch; 16-bit numbers are computed in float32.
void cdist(const at::Tensor& x1, const at::Tensor& x2, double p, int64_t compute_mode, at::Tensor& out);
// The gradient of x1. A negative p stands for infinity.
void cdist_backward(const at::Tensor& grad, const at::Tensor& x1, const at::Tensor& x2,
                    const at::Tensor& cdist, double p, at::Tensor& out);
void pdist(const at::Tensor& self, double p, at::Tensor& out);

// Scales what lies along each index of `dim` so that its p-norm is at most `maxnorm`. The norm for p = 0
// counts the elements other than zero, which PyTorch's CPU does not offer.
void renorm(const at::Tensor& self, const at::Scalar& p, int64_t dim, const at::Scalar& maxnorm,
            at::Tensor& out);

}  // namespace opweld::npu::kernels
