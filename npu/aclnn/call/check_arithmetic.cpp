#include "npu/aclnn/call/check_arithmetic.h"

#include <fmt/format.h>

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn::check {

void power(const Operand& base, const Number& exponent) {
    const OpweldScalar& value = exponent.value();
    if (is_integral(base.dtype()) && value.dtype == OPWELD_INT64 && value.integer < 0) {
        invalid(fmt::format("argument '{}' is {}: integers ('{}' is {}) have no negative integer powers",
                            exponent.name(), value.integer, base.name(), dtype_name(base.dtype())));
    }
    if (is_integral(base.dtype()) && value.dtype == OPWELD_INT64) {
        storable(exponent, base);
    }
}

void complex_of(const Operand& part, const Operand& output) {
    const int32_t expected = part.dtype() == OPWELD_FLOAT64 ? OPWELD_COMPLEX128 : OPWELD_COMPLEX64;
    if (output.dtype() != expected) {
        invalid(fmt::format("argument '{}' has dtype {}, expected {}, as '{}' is {}", output.name(),
                            dtype_name(output.dtype()), dtype_name(expected), part.name(),
                            dtype_name(part.dtype())));
    }
}

void quotient(int64_t mode, const Operand& output) {
    one_of("mode", mode, 0, 2);
    if (mode != 0 && (output.dtype() == OPWELD_COMPLEX64 || output.dtype() == OPWELD_COMPLEX128)) {
        invalid(fmt::format("argument 'mode' is {}: complex numbers ('{}' is {}) are not rounded", mode,
                            output.name(), dtype_name(output.dtype())));
    }
    if (mode == 0 && is_integral(output.dtype())) {
        invalid(fmt::format("argument '{}' has dtype {}, which can't hold a quotient that is not rounded",
                            output.name(), dtype_name(output.dtype())));
    }
}

}  // namespace opweld::npu::aclnn::check
