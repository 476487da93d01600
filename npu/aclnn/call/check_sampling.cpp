#include "npu/aclnn/call/check_sampling.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

void above(std::string_view name, double value, double limit) {
    if (!(value > limit)) {
        invalid(fmt::format("argument '{}' is {}, expected more than {}", name, value, limit));
    }
}

void sampled(const Operand& weights, int64_t samples, bool replacement, const Operand& output) {
    has_rank(weights, 1, 2);
    const int64_t count = weights.size(weights.rank() - 1);
    if (samples < 1 || (!replacement && samples > count)) {
        invalid(fmt::format("{} samples {} replacement can't be drawn from the {} weights of '{}'", samples,
                            replacement ? "with" : "without", count, weights.name()));
    }
    if (count == 0) {
        invalid(fmt::format("argument '{}' has no weights", weights.name()));
    }
    Shape shape(weights.shape().begin(), weights.shape().end());
    shape.back() = samples;
    has_shape(output, shape, "so many places for each row of weights");
}

}  // namespace opweld::npu::aclnn::check
