// What the normalizations share: parameters in the dtype they are computed in.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace opweld::npu::kernels {

inline bool is_reduced(at::ScalarType dtype) { return dtype == at::kHalf || dtype == at::kBFloat16; }

// float32 for 16-bit inputs, else the input's own dtype.
inline at::ScalarType parameter_dtype(const at::Tensor& input) {
    return is_reduced(input.scalar_type()) ? at::kFloat : input.scalar_type();
}

// The parameter of an input, in that dtype.
inline std::optional<at::Tensor> parameter(const at::Tensor& input, const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() ? std::optional(tensor->to(parameter_dtype(input))) : std::nullopt;
}

}  // namespace opweld::npu::kernels
