// Helpers of the arithmetic functions' rows.
#pragma once

#include <c10/util/Optional.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "npu/kernels/with_dtype.h"

namespace opweld::npu::kernels {

// How ATen calls the rounding of a quotient: 0 none, 1 towards zero, 2 down.
inline std::optional<std::string_view> rounding_mode(int64_t mode) {
    if (mode == 0) {
        return std::nullopt;
    }
    return mode == 1 ? "trunc" : "floor";
}

}  // namespace opweld::npu::kernels
