#include "npu/aclnn/call/check_fake_quantize.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {
namespace {

void count_is(const Operand& tensor, int64_t count) {
    if (tensor && tensor.elements() != count) {
        invalid(fmt::format("argument '{}' has {} elements, expected {}", tensor.name(), tensor.elements(),
                            count));
    }
}

}  // namespace

void quantization_range(int64_t quant_min, int64_t quant_max) {
    if (quant_min > quant_max) {
        invalid(
            fmt::format("argument 'quantMin' is {}, expected at most 'quantMax', {}", quant_min, quant_max));
    }
}

void parameters(const Operand& scale, const Operand& zero_point, int64_t count) {
    count_is(scale, count);
    count_is(zero_point, count);
}

void parameters_along(const Operand& x, int64_t axis, const Operand& scale, const Operand& zero_point) {
    has_rank(x, 1, 8);
    parameters(scale, zero_point, x.size(wrap_dim(x, axis)));
}

void parameters_of(const Operand& x, int64_t axis, const Operand& scales, const Operand& zero_points) {
    if (scales.elements() == 1) {
        count_is(zero_points, 1);
    } else {
        parameters_along(x, axis, scales, zero_points);
    }
}

}  // namespace opweld::npu::aclnn::check
