// Helpers of the unary functions' rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cmath>
#include <optional>

namespace opweld::npu::kernels {

// A parameter for which a negative number stands for none.
inline std::optional<double> given(double value) {
    return value < 0 ? std::nullopt : std::optional<double>(value);
}

// What an infinity is replaced by. float64's largest number comes as a float, where it is infinite: then the
// dtype's largest number is meant.
inline std::optional<double> finite(double value, const at::Tensor& tensor) {
    const bool largest = std::isinf(value) && tensor.scalar_type() == at::kDouble;
    return largest ? std::nullopt : std::optional<double>(value);
}

}  // namespace opweld::npu::kernels
