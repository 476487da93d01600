#include "npu/aclnn/call/check_piecewise_activation.h"

#include <fmt/format.h>

#include <cmath>

namespace opweld::npu::aclnn::check {

void result_tells_sign(bool is_result, const Number& slope) {
    if (is_result && as_double(slope) < 0) {
        invalid(fmt::format("argument '{}' is {}, expected at least 0 when the backward pass gets the result",
                            slope.name(), as_double(slope)));
    }
}

void slopes(const Operand& input, const Operand& weight) {
    const int64_t count = weight.elements();
    const int64_t channels = input.rank() > 1 ? input.size(1) : 1;
    if (count != 1 && count != channels) {
        invalid(fmt::format("argument '{}' has {} elements, expected 1 or {}, the channels of '{}' {}",
                            weight.name(), count, channels, input.name(), text(input.shape())));
    }
}

void ordered(const Number& lower, const Number& upper) {
    if (!(as_double(lower) <= as_double(upper))) {
        invalid(fmt::format("argument '{}' is {}, expected at most '{}', {}", lower.name(), as_double(lower),
                            upper.name(), as_double(upper)));
    }
}

void limit(const Number& number, const Operand& tensor) {
    if (!is_integral(tensor.dtype())) {
        storable(number, tensor);
        return;
    }
    const double whole = std::trunc(as_double(number));
    if (tensor.dtype() == OPWELD_UINT8 && whole < 0) {
        invalid(fmt::format("argument '{}' is {}, expected at least 0, as '{}' has no negative numbers",
                            number.name(), whole, tensor.name()));
    }
    const aclScalar scalar(&whole, OPWELD_FLOAT64);
    storable(Number(number.name(), &scalar), tensor);
}

}  // namespace opweld::npu::aclnn::check
