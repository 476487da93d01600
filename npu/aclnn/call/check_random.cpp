#include "npu/aclnn/call/check_random.h"

#include <fmt/format.h>

#include <cmath>

namespace opweld::npu::aclnn::check {

void probability(std::string_view name, double value) {
    if (!(value >= 0 && value <= 1)) {
        invalid(fmt::format("argument '{}' is {}, expected a probability from 0 to 1", name, value));
    }
}

void probability(const Number& number) { probability(number.name(), as_double(number)); }

void ordered(std::string_view from_name, double from, std::string_view to_name, double to) {
    if (!std::isfinite(from) || !std::isfinite(to) || from > to) {
        invalid(fmt::format("arguments '{}' and '{}' are {} and {}, expected finite numbers in this order",
                            from_name, to_name, from, to));
    }
}

void bit_mask(std::span<const int64_t> shape, const Operand& mask) {
    int64_t elements = 1;
    for (const int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(elements, size, &elements)) {
            invalid(fmt::format("argument 'shape' is {}, which no tensor can have", text(shape)));
        }
    }
    const int64_t bytes = (elements / 128 + (elements % 128 != 0 ? 1 : 0)) * 16;
    if (mask.elements() < bytes) {
        invalid(fmt::format(
            "argument '{}' has {} bytes, expected at least {}: a bit for each of {} elements, 128 bits "
            "at a time",
            mask.name(), mask.elements(), bytes, elements));
    }
}

}  // namespace opweld::npu::aclnn::check
