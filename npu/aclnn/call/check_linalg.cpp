#include "npu/aclnn/call/check_linalg.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

constexpr int64_t kMaxRank = 8;

std::string described(const Operand& tensor) {
    return fmt::format("'{}' {}", tensor.name(), text(tensor.shape()));
}

int64_t from_end(const Operand& tensor, int64_t i) { return tensor.size(tensor.rank() - i); }

// The batch of a tensor of matrices, and behind it the given sizes.
Shape with_batch(const Operand& matrices, std::initializer_list<int64_t> sizes) {
    Shape shape(matrices.shape().begin(), matrices.shape().end() - 2);
    shape.insert(shape.end(), sizes);
    return shape;
}

// To which the dimensions before the last two broadcast.
Shape common_batch(const Operand& left, const Operand& right) {
    Shape shape(static_cast<size_t>(std::max(left.rank(), right.rank()) - 2), 1);
    for (const Operand& tensor : {left, right}) {
        const auto batch = tensor.shape().first(static_cast<size_t>(tensor.rank() - 2));
        for (size_t i = 0; i < batch.size(); ++i) {
            int64_t& size = shape[shape.size() - batch.size() + i];
            if (size != 1 && batch[i] != 1 && batch[i] != size) {
                invalid(fmt::format("the batches of {} and {} don't broadcast", described(left),
                                    described(right)));
            }
            size = batch[i] == 1 ? size : batch[i];
        }
    }
    return shape;
}

}  // namespace

void outer_product(const Operand& left, const Operand& right, const Operand& output) {
    has_rank(left, 1, 1);
    has_rank(right, 1, 1);
    has_shape(output, Shape{left.size(0), right.size(0)},
              fmt::format("for the outer product of {} and {}", described(left), described(right)));
}

void summed_products(const Operand& left, const Operand& right, const Operand& output) {
    has_rank(left, 3, 3);
    has_rank(right, 3, 3);
    if (left.size(0) != right.size(0) || left.size(2) != right.size(1)) {
        invalid(fmt::format("{} and {} are no batches of matrices that can be multiplied", described(left),
                            described(right)));
    }
    has_shape(output, Shape{left.size(1), right.size(2)},
              fmt::format("for products of {} and {}", described(left), described(right)));
}

void cross(const Operand& left, const Operand& right, int64_t dim) {
    for (const Operand& tensor : {left, right}) {
        const int64_t size = tensor.rank() == 0 ? 1 : tensor.size(wrap_dim(tensor, dim));
        if (size != 3) {
            invalid(fmt::format("argument {} has {} elements along dimension {}, expected 3",
                                described(tensor), size, dim));
        }
    }
    if (left.rank() != right.rank()) {
        invalid(
            fmt::format("{} and {} differ in their number of dimensions", described(left), described(right)));
    }
}

void square(const Operand& matrix) {
    has_rank(matrix, 2, kMaxRank);
    if (from_end(matrix, 1) != from_end(matrix, 2)) {
        invalid(fmt::format("argument {} has {} rows and {} columns, expected a square matrix",
                            described(matrix), from_end(matrix, 2), from_end(matrix, 1)));
    }
}

void qr_factors(const Operand& matrix, int64_t mode, const Operand& q, const Operand& r) {
    one_of("mode", mode, 0, 2);
    has_rank(matrix, 2, kMaxRank);
    const int64_t rows = from_end(matrix, 2);
    const int64_t columns = from_end(matrix, 1);
    const int64_t inner = mode == 1 ? rows : std::min(rows, columns);
    const std::string why = fmt::format("for factors of {}", described(matrix));
    if (mode != 2) {
        has_shape(q, with_batch(matrix, {rows, inner}), why);
    }
    has_shape(r, with_batch(matrix, {inner, columns}), why);
}

void svd_factors(const Operand& matrix, bool full_matrices, bool compute_uv, const Operand& s,
                 const Operand& u, const Operand& v) {
    has_rank(matrix, 2, kMaxRank);
    const int64_t rows = from_end(matrix, 2);
    const int64_t columns = from_end(matrix, 1);
    const int64_t inner = std::min(rows, columns);
    const std::string why = fmt::format("for factors of {}", described(matrix));
    has_shape(s, with_batch(matrix, {inner}), why);
    if (compute_uv) {
        has_shape(u, with_batch(matrix, {rows, full_matrices ? rows : inner}), why);
        has_shape(v, with_batch(matrix, {columns, full_matrices ? columns : inner}), why);
        same_dtype(matrix, u);
        same_dtype(matrix, v);
    }
}

void triangular(const Operand& right_side, const Operand& matrix, const Operand& solution,
                const Operand& copy) {
    has_rank(right_side, 2, kMaxRank);
    if (from_end(right_side, 2) != from_end(matrix, 1)) {
        invalid(fmt::format("argument {} has {} rows, expected {}, as {} has columns", described(right_side),
                            from_end(right_side, 2), from_end(matrix, 1), described(matrix)));
    }
    const Shape batch = common_batch(right_side, matrix);
    const auto in_batch = [&](int64_t columns) {
        Shape shape = batch;
        shape.insert(shape.end(), {from_end(matrix, 1), columns});
        return shape;
    };
    const std::string why = fmt::format("for {} and {}", described(right_side), described(matrix));
    has_shape(solution, in_batch(from_end(right_side, 1)), why);
    has_shape(copy, in_batch(from_end(matrix, 1)), why);
}

void norm_limits(const Number& p, const Number& maxnorm) {
    at_least(p.name(), as_double(p), 0);
    at_least(maxnorm.name(), as_double(maxnorm), 0);
}

void determinants(const Operand& matrices, const Operand& output) {
    square(matrices);
    has_shape(output, with_batch(matrices, {}),
              fmt::format("one number for each matrix of {}", described(matrices)));
}

void distances(const Operand& left, const Operand& right, const Operand& output) {
    has_rank(left, 2, kMaxRank);
    has_rank(right, 2, kMaxRank);
    if (from_end(left, 1) != from_end(right, 1)) {
        invalid(fmt::format("the rows of {} and {} have {} and {} elements", described(left),
                            described(right), from_end(left, 1), from_end(right, 1)));
    }
    Shape shape = common_batch(left, right);
    shape.insert(shape.end(), {from_end(left, 2), from_end(right, 2)});
    has_shape(output, shape,
              fmt::format("for distances between {} and {}", described(left), described(right)));
}

void pair_distances(const Operand& matrix, const Operand& output) {
    has_rank(matrix, 2, 2);
    const int64_t rows = matrix.size(0);
    has_shape(output, Shape{rows * (rows - 1) / 2},
              fmt::format("one number for each pair of rows of {}", described(matrix)));
}

}  // namespace opweld::npu::aclnn::check
