#include "npu/aclnn/call/check_loss.h"

namespace opweld::npu::aclnn::check {

void reduction_code(int64_t reduction) { one_of("reduction", reduction, 0, 2); }

void loss(std::initializer_list<Operand> inputs, int64_t reduction, const Operand& output) {
    reduction_code(reduction);
    const Shape shape = broadcast_shape(inputs);
    if (reduction == 0) {
        has_shape(output, shape, "the shape to which the inputs broadcast (reduction none)");
    } else {
        has_shape(output, {}, "the shape of a reduced loss");
    }
}

void nll(const Operand& scores, const Operand& target, const Operand& weight, int64_t reduction,
         const Operand& output, const Operand& total_weight) {
    reduction_code(reduction);
    has_rank(scores, 1, 2);
    const int64_t classes = scores.size(scores.rank() - 1);
    const auto batch = scores.shape().first(scores.shape().size() - 1);
    has_shape(target, batch, "the batch of 'self'");
    has_shape(weight, {&classes, 1}, "one weight a class");
    has_shape(output, reduction == 0 ? batch : std::span<const int64_t>(), "the shape of the loss");
    has_shape(total_weight, {}, "the shape of one number");
}

}  // namespace opweld::npu::aclnn::check
