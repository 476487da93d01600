#include "npu/aclnn/call/check_activation.h"

#include <fmt/format.h>

namespace opweld::npu::aclnn::check {

double as_double(const Number& number) {
    real(number);
    const OpweldScalar& value = number.value();
    return value.dtype == OPWELD_FLOAT64 ? value.real : static_cast<double>(value.integer);
}

void not_zero(const Number& number) {
    if (as_double(number) == 0) {
        invalid(fmt::format("argument '{}' is 0, by which nothing can be divided", number.name()));
    }
}

}  // namespace opweld::npu::aclnn::check
