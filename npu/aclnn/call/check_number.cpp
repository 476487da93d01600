// Checks of scalars: what ATen would refuse when the kernel runs is refused before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "npu/aclnn/call/check.h"
#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn::check {
namespace {

struct Range {
    double least;
    double greatest;
};

// Unsigned integers take negative ones modulo their size.
template <class T>
constexpr Range range_of(bool whole) {
    constexpr auto kMax = static_cast<double>(std::numeric_limits<T>::max());
    if (std::is_unsigned_v<T> && whole) {
        return {-kMax, kMax};
    }
    return {static_cast<double>(std::numeric_limits<T>::lowest()), kMax};
}

// The least and the greatest number that a dtype takes of integers (`whole`) or others.
Range range_of(int32_t dtype, bool whole) {
    switch (dtype) {
        case OPWELD_INT8:
            return range_of<int8_t>(whole);
        case OPWELD_INT16:
            return range_of<int16_t>(whole);
        case OPWELD_INT32:
            return range_of<int32_t>(whole);
        case OPWELD_INT64:
            return range_of<int64_t>(whole);
        case OPWELD_UINT8:
            return range_of<uint8_t>(whole);
        case OPWELD_UINT16:
            return range_of<uint16_t>(whole);
        case OPWELD_UINT32:
            return range_of<uint32_t>(whole);
        case OPWELD_UINT64:
            return range_of<uint64_t>(whole);
        case OPWELD_FLOAT16:
            return {-65504, 65504};
        case OPWELD_BFLOAT16:
            return {-0x1.FEp127, 0x1.FEp127};
        case OPWELD_FLOAT64:
        case OPWELD_COMPLEX128:
            return range_of<double>(whole);
        default:
            return range_of<float>(whole);
    }
}

}  // namespace

double as_double(const Number& number) {
    real(number);
    const OpweldScalar& value = number.value();
    return value.dtype == OPWELD_FLOAT64 ? value.real : static_cast<double>(value.integer);
}

namespace {

void holds(const Number& number, const Operand& tensor, int32_t dtype) {
    const OpweldScalar& value = number.value();
    const bool takes_complex = dtype == OPWELD_COMPLEX64 || dtype == OPWELD_COMPLEX128;
    if (value.dtype == OPWELD_COMPLEX128 && value.imaginary != 0 && !takes_complex) {
        invalid(fmt::format("argument '{}' is {} + {}i, but '{}' is {}, which holds real numbers",
                            number.name(), value.real, value.imaginary, tensor.name(), dtype_name(dtype)));
    }
    const bool whole = value.dtype == OPWELD_BOOL || value.dtype == OPWELD_INT64;
    const double found = whole ? static_cast<double>(value.integer) : value.real;
    const auto [least, greatest] = range_of(dtype, whole);
    // Integers of 64 bits hold every integer; a double can't tell their ends from the numbers beyond them.
    const bool wide = dtype == OPWELD_INT64 || dtype == OPWELD_UINT64;
    const bool fits =
        (whole && wide) || (std::isfinite(found) ? found >= least && found <= greatest : !is_integral(dtype));
    if (!fits) {
        invalid(fmt::format("argument '{}' is {}, which '{}' can't hold: {} ends at {} and {}", number.name(),
                            found, tensor.name(), dtype_name(dtype), least, greatest));
    }
}

}  // namespace

void storable(const Number& number, const Operand& tensor) {
    if (number && tensor && tensor.dtype() != OPWELD_BOOL) {
        holds(number, tensor, tensor.dtype());
    }
}

void computable(const Number& number, const Operand& tensor) {
    if (number && tensor && tensor.dtype() != OPWELD_BOOL) {
        const bool reduced = tensor.dtype() == OPWELD_FLOAT16 || tensor.dtype() == OPWELD_BFLOAT16;
        holds(number, tensor, reduced ? static_cast<int32_t>(OPWELD_FLOAT32) : tensor.dtype());
    }
}

void bounded(const Number& min, const Number& max, const Operand& output) {
    if (!min && !max) {
        invalid(fmt::format("arguments '{}' and '{}' are both missing, expected at least one of the limits",
                            min.name(), max.name()));
    }
    for (const Number& limit : {min, max}) {
        if (limit) {
            real(limit);
            castable(limit, output);
        }
    }
}

void bounded(const Operand& min, const Operand& max) {
    if (!min && !max) {
        invalid(fmt::format("arguments '{}' and '{}' are both missing, expected at least one of the limits",
                            min.name(), max.name()));
    }
}

void comparable(const Operand& self, std::initializer_list<Number> limits) {
    const auto any = [&](int32_t dtype) {
        return std::ranges::any_of(
            limits, [&](const Number& limit) { return limit && limit.value().dtype == dtype; });
    };
    if (self.dtype() == OPWELD_BOOL && !any(OPWELD_INT64) && !any(OPWELD_FLOAT64)) {
        invalid(fmt::format("argument '{}' is bool, expected numbers", self.name()));
    }
    const bool fractions = any(OPWELD_FLOAT64) && is_integral(self.dtype());
    for (const Number& limit : limits) {
        if (limit && fractions) {
            holds(limit, self, OPWELD_FLOAT32);
        } else {
            storable(limit, self);
        }
    }
}

void multiplier(const Number& alpha, std::initializer_list<Operand> inputs, const Number& other) {
    bool integers = !other || other.value().dtype == OPWELD_BOOL || other.value().dtype == OPWELD_INT64;
    bool booleans = !other || other.value().dtype == OPWELD_BOOL;
    for (const Operand& input : inputs) {
        integers = integers && is_integral(input.dtype());
        booleans = booleans && input.dtype() == OPWELD_BOOL;
    }
    const int32_t dtype = alpha.value().dtype;
    if (dtype == OPWELD_BOOL && !booleans) {
        invalid(fmt::format("argument '{}' is a boolean, expected a number unless all inputs are booleans",
                            alpha.name()));
    }
    const auto is_complex = [](int32_t type) {
        return type == OPWELD_COMPLEX64 || type == OPWELD_COMPLEX128;
    };
    const bool complex_result =
        (other && is_complex(other.value().dtype)) ||
        std::ranges::any_of(inputs, [&](const Operand& input) { return is_complex(input.dtype()); });
    if (is_complex(dtype) && !complex_result) {
        invalid(
            fmt::format("argument '{}' is a complex number, expected a real one unless an input is complex",
                        alpha.name()));
    }
    if (integers && (dtype == OPWELD_FLOAT64 || dtype == OPWELD_COMPLEX128)) {
        invalid(
            fmt::format("For integral input tensors, argument alpha must not be a floating point number: "
                        "'{}' is {}",
                        alpha.name(), alpha.value().real));
    }
    // Of several dtypes the result's decides, which this doesn't know.
    const Operand& first = *inputs.begin();
    const bool same =
        std::ranges::all_of(inputs, [&](const Operand& input) { return input.dtype() == first.dtype(); });
    if (same && (integers || !is_integral(first.dtype()))) {
        computable(alpha, first);
    }
}

}  // namespace opweld::npu::aclnn::check
