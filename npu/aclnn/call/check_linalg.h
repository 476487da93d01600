// Checks of linear algebra functions: the shapes of their results.
#pragma once

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/call/check_matrix.h"

namespace opweld::npu::aclnn::check {

// Two vectors and the matrix of their products.
void outer_product(const Operand& left, const Operand& right, const Operand& output);

// Two batches of as many matrices, and a matrix of the products' shape.
void summed_products(const Operand& left, const Operand& right, const Operand& output);

// Both tensors have three elements along the dimension.
void cross(const Operand& left, const Operand& right, int64_t dim);

// A matrix, or a batch of them, with as many rows as columns.
void square(const Operand& matrix);

// The factors of a matrix of m rows and n columns. `mode` is 0 (reduced), 1 (complete) or 2 (no q).
void qr_factors(const Operand& matrix, int64_t mode, const Operand& q, const Operand& r);
void svd_factors(const Operand& matrix, bool full_matrices, bool compute_uv, const Operand& s,
                 const Operand& u, const Operand& v);

// Right-hand sides and a matrix with the same batch, the solutions and the copy of the matrix.
// The batches of both broadcast.
void triangular(const Operand& right_side, const Operand& matrix, const Operand& solution,
                const Operand& copy);

// One number for each square matrix.
// A norm's order and its largest value.
void norm_limits(const Number& p, const Number& maxnorm);

void determinants(const Operand& matrices, const Operand& output);

// One number for each pair of rows: of two batches of matrices, or of one matrix.
void distances(const Operand& left, const Operand& right, const Operand& output);
void pair_distances(const Operand& matrix, const Operand& output);

}  // namespace opweld::npu::aclnn::check
