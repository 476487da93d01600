#include "npu/aclnn/call/check_loss.h"

#include <fmt/format.h>

#include <algorithm>

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

void nll2d(const Operand& scores, const Operand& target, const Operand& weight, int64_t reduction,
           const Operand& output, const Operand& total_weight) {
    reduction_code(reduction);
    has_rank(scores, 4, 4);
    const auto sizes = scores.shape();
    const int64_t places[] = {sizes[0], sizes[2], sizes[3]};
    has_shape(target, places, "one target for each place of 'self'");
    has_shape(weight, sizes.subspan(1, 1), "one weight a class");
    has_shape(output, reduction == 0 ? std::span<const int64_t>(places) : std::span<const int64_t>(),
              "the shape of the loss");
    has_shape(total_weight, {}, "the shape of one number");
}

void weights(const Operand& weight, const Operand& scores) {
    if (weight) {
        broadcasts_to(weight, scores);
    }
}

void multilabel(const Operand& scores, const Operand& target, int64_t reduction, const Operand& output,
                const Operand& is_target) {
    reduction_code(reduction);
    has_rank(scores, 0, 2);
    same_shape(scores, target);
    same_elements(target, is_target);
    const auto batch = scores.shape().first(scores.rank() == 2 ? 1 : 0);
    has_shape(output, reduction == 0 ? batch : std::span<const int64_t>(), "the shape of the loss");
}

void classes(const Operand& scores, const Operand& target, const Operand& weight, std::string_view reduction,
             double label_smoothing, const Operand& loss) {
    has_rank(scores, 2, 2);
    has_shape(target, scores.shape().first(1), "one class number for each row");
    has_shape(weight, scores.shape().last(1), "one weight a class");
    if (reduction != "none" && reduction != "mean" && reduction != "sum") {
        invalid(fmt::format("argument 'reduction' is \"{}\", expected none, mean or sum", reduction));
    }
    if (!(label_smoothing >= 0 && label_smoothing <= 1)) {
        invalid(fmt::format("argument 'labelSmoothing' is {}, expected 0 to 1", label_smoothing));
    }
    const int64_t one[] = {1};
    has_shape(loss, reduction == "none" ? scores.shape().first(1) : std::span<const int64_t>(one),
              "the shape of the loss");
}

void no_zloss(double lse_square_scale, bool return_zloss) {
    if (lse_square_scale != 0 || return_zloss) {
        invalid(
            "z-loss is asked for ('lseSquareScaleForZloss' or 'returnZloss'); the software NPU has no "
            "kernel for it");
    }
}

void ctc(const Operand& scores, const Operand& targets, const CtcArguments& a, const Operand& loss,
         const Operand& log_alpha) {
    has_rank(scores, 2, 3);
    has_rank(targets, 1, 2);
    has_rank(log_alpha, 3, 3);
    const int64_t time = scores.size(0);
    const int64_t batch = scores.rank() == 3 ? scores.size(1) : 1;
    const auto lengths = {a.input_lengths, a.target_lengths};
    if (std::ranges::any_of(lengths, [&](auto list) { return std::ssize(list) != batch; })) {
        invalid(fmt::format("there are {} input and {} target lengths, expected {}, one for each sequence",
                            a.input_lengths.size(), a.target_lengths.size(), batch));
    }
    for (const int64_t length : a.input_lengths) {
        one_of("inputLengths", length, 0, time);
    }
    int64_t longest = 0;
    for (const int64_t length : a.target_lengths) {
        one_of("targetLengths", length, 0, targets.size(targets.rank() - 1));
        longest = std::max(longest, length);
    }
    one_of("blank", a.blank, 0, scores.size(scores.rank() - 1) - 1);
    has_shape(loss, scores.rank() == 3 ? std::span<const int64_t>(&batch, 1) : std::span<const int64_t>(),
              "one loss for each sequence");
    if (log_alpha.size(0) != batch || log_alpha.size(1) != time || log_alpha.size(2) < 2 * longest + 1) {
        invalid(fmt::format("argument '{}' has shape {}, expected [{}, {}, at least {}]", log_alpha.name(),
                            text(log_alpha.shape()), batch, time, 2 * longest + 1));
    }
}

}  // namespace opweld::npu::aclnn::check
