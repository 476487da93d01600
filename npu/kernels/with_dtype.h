// Results whose dtype is not the output's.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty.h>

#include <optional>

#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {

// Runs `kernel(output)`: on the output itself if that has the dtype of the result, else on one that has.
template <class F>
void with_dtype(at::Tensor& out, at::ScalarType dtype, F&& kernel) {
    if (out.scalar_type() == dtype) {
        kernel(out);
    } else {
        at::Tensor result = at::empty(out.sizes(), out.options().dtype(dtype));
        kernel(result);
        assign(out, result);
    }
}

// The dtype of a tensor between limits, each of which may be missing.
inline at::ScalarType limited_dtype(const at::Tensor& self, const std::optional<at::Scalar>& min,
                                    const std::optional<at::Scalar>& max) {
    auto state = at::native::update_result_type_state(self, {});
    for (const auto& limit : {min, max}) {
        if (limit.has_value()) {
            state = at::native::update_result_type_state(*limit, state);
        }
    }
    return at::native::result_type(state);
}

}  // namespace opweld::npu::kernels
