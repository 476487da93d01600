// What the emitted expressions of all C++ flavours share: the error, index arithmetic, checked integers.
// Header-only, no dependency; part of what generated code is compiled against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "opweld/expr/dtype.h"
#include "opweld/expr/error.h"

namespace opweld::expr {

// The longest list that range() makes.
inline constexpr std::int64_t max_list_length = 1'000'000;

// A run-time number of unknown type, as PyTorch's Scalar.
struct Scalar {
    DType dtype = DType::float64;  // boolean, int64 or float64
    double value = 0;
};

namespace detail {

inline std::int64_t add(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) {
        throw Error("integer overflow in " + std::to_string(a) + " + " + std::to_string(b));
    }
    return result;
}

inline std::int64_t subtract(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) {
        throw Error("integer overflow in " + std::to_string(a) + " - " + std::to_string(b));
    }
    return result;
}

inline std::int64_t multiply(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) {
        throw Error("integer overflow in " + std::to_string(a) + " * " + std::to_string(b));
    }
    return result;
}

// Division that rounds down, as Python's //.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    if (b == 0) {
        throw Error("division of " + std::to_string(a) + " by zero");
    }
    if (b == -1) {
        return subtract(0, a);
    }
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// The remainder that goes with floor_div; it has the sign of `b`, as Python's %.
inline std::int64_t mod(std::int64_t a, std::int64_t b) {
    if (b == 0) {
        throw Error("remainder of " + std::to_string(a) + " by zero");
    }
    if (b == -1) {
        return 0;
    }
    const std::int64_t remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

inline double divide(double a, double b) {
    if (b == 0) {
        throw Error("division by zero");
    }
    return a / b;
}

// A Python index as an offset: negative ones count from the end.
inline std::size_t wrap_index(std::int64_t index, std::size_t size) {
    const auto length = static_cast<std::int64_t>(size);
    if (index < -length || index >= length) {
        throw Error("index " + std::to_string(index) + " is out of range for a list of " +
                    std::to_string(length));
    }
    return static_cast<std::size_t>(index < 0 ? index + length : index);
}

// The offsets that a Python slice selects; bounds beyond the ends are clamped, as in Python.
inline std::pair<std::size_t, std::size_t> slice_bounds(std::int64_t start, std::int64_t stop,
                                                        std::size_t size) {
    const auto length = static_cast<std::int64_t>(size);
    const auto clamp = [length](std::int64_t bound) {
        if (bound < 0) {
            return bound < -length ? 0 : bound + length;
        }
        return bound > length ? length : bound;
    };
    const std::int64_t first = clamp(start);
    const std::int64_t last = clamp(stop);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last < first ? first : last)};
}

inline constexpr std::int64_t slice_end = std::numeric_limits<std::int64_t>::max();

// The number of items of range(start, stop, step).
inline std::int64_t range_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
    if (step == 0) {
        throw Error("the step of range() is zero");
    }
    const std::int64_t span = step > 0 ? subtract(stop, start) : subtract(start, stop);
    if (span <= 0) {
        return 0;
    }
    const std::int64_t stride = step > 0 ? step : subtract(0, step);
    const std::int64_t length = (span - 1) / stride + 1;
    if (length > max_list_length) {
        throw Error("range() of " + std::to_string(length) + " items: more than " +
                    std::to_string(max_list_length));
    }
    return length;
}

// Two sizes that are broadcast against each other.
inline std::int64_t broadcast_size(std::int64_t a, std::int64_t b) {
    if (a < 0 || b < 0) {
        throw Error("broadcast of the negative size " + std::to_string(a < 0 ? a : b));
    }
    if (a == b || b == 1) {
        return a;
    }
    if (a == 1) {
        return b;
    }
    throw Error("sizes " + std::to_string(a) + " and " + std::to_string(b) + " do not broadcast");
}

// Marks in `is_reduced` (one entry per dimension) what `dimension` selects.
template <class Flags>
void mark_reduced(Flags& is_reduced, std::int64_t dimension) {
    const std::size_t index = wrap_index(dimension, is_reduced.size());
    if (is_reduced[index]) {
        throw Error("dimension " + std::to_string(dimension) + " is reduced twice");
    }
    is_reduced[index] = true;
}

}  // namespace detail
}  // namespace opweld::expr
