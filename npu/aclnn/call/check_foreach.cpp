#include "npu/aclnn/call/check_foreach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "npu/aclnn/call/check_arithmetic.h"

namespace opweld::npu::aclnn::check {

void rounding(const Number& mode) {
    constexpr std::array<int64_t, 5> kModes{1, 2, 3, 5, 7};
    const OpweldScalar& value = mode.value();
    if (value.dtype != OPWELD_INT64 || std::ranges::find(kModes, value.integer) == kModes.end()) {
        invalid(
            fmt::format("argument '{}' is {}, expected 1 (to nearest), 2 (down), 3 (up), 5 (towards zero) "
                        "or 7 (the fractional part)",
                        mode.name(), value.integer));
    }
}

void powers(const Operands& bases, const Number& exponent) {
    for (size_t i = 0; i < bases.size(); ++i) {
        power(bases[i], exponent);
    }
}

void powers(const Operands& bases, std::span<const aclScalar* const> exponents) {
    for (size_t i = 0; i < std::min(bases.size(), exponents.size()); ++i) {
        power(bases[i], Number("exponents", exponents[i]));
    }
}

void one_each(const Operands& list, const Operand& numbers) {
    has_shape(numbers, Shape{static_cast<int64_t>(list.size())},
              fmt::format("one number for each tensor of '{}'", list.name()));
}

void single_numbers(const Operands& list) {
    for (size_t i = 0; i < list.size(); ++i) {
        has_shape(list[i], {}, fmt::format("the shape of one number (this is item {})", i));
    }
}

}  // namespace opweld::npu::aclnn::check
