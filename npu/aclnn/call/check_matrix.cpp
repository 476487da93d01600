#include "npu/aclnn/call/check_matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::aclnn::check {
namespace {

Shape batch_of(const Operand& tensor) {
    const auto shape = tensor.shape();
    return shape.size() <= 2 ? Shape() : Shape(shape.begin(), shape.end() - 2);
}

}  // namespace

void product(const Operand& left, const Operand& right, const Operand& output) {
    has_rank(left, 1, 8);
    has_rank(right, 1, 8);
    const int64_t inner = left.size(left.rank() - 1);
    const int64_t other = right.size(std::max<int64_t>(right.rank() - 2, 0));
    if (inner != other) {
        invalid(fmt::format("'{}' {} and '{}' {} can't be multiplied: {} columns and {} rows", left.name(),
                            text(left.shape()), right.name(), text(right.shape()), inner, other));
    }
    const Shape left_batch = batch_of(left);
    const Shape right_batch = batch_of(right);
    Shape shape(std::max(left_batch.size(), right_batch.size()), 1);
    for (const Shape& batch : {left_batch, right_batch}) {
        for (size_t i = 0; i < batch.size(); ++i) {
            int64_t& size = shape[shape.size() - batch.size() + i];
            if (size != 1 && batch[i] != 1 && batch[i] != size) {
                invalid(fmt::format("the batches of '{}' {} and '{}' {} don't broadcast", left.name(),
                                    text(left.shape()), right.name(), text(right.shape())));
            }
            size = batch[i] == 1 ? size : batch[i];
        }
    }
    if (left.rank() > 1) {
        shape.push_back(left.size(left.rank() - 2));
    }
    if (right.rank() > 1) {
        shape.push_back(right.size(right.rank() - 1));
    }
    has_shape(output, shape,
              fmt::format("the shape of the product of '{}' {} and '{}' {}", left.name(), text(left.shape()),
                          right.name(), text(right.shape())));
}

void cube_math(int64_t cube_math_type) { one_of("cubeMathType", cube_math_type, 0, 3); }

}  // namespace opweld::npu::aclnn::check
